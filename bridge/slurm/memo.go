package slurm

import "strings"

// known is what the texts mean that come back in every reply: reading them anew
// in every record would cost more than all else of it.
type known struct {
	lists    memo[Hosts]
	features memo[Features]
	depends  memo[Dependency]
	tasks    memo[Tasks]
}

func (k *known) hosts(text string) Hosts {
	return k.lists.get(text, ReadHosts, func(h Hosts) int { return len(h.Names) })
}

func (k *known) constraint(text string) Features {
	return k.features.get(text, ReadFeatures, func(f Features) int { return len(f.All) })
}

func (k *known) dependency(text string) Dependency {
	return k.depends.get(text, ReadDependency, func(d Dependency) int { return len(d.Jobs) })
}

func (k *known) array(text string) Tasks {
	return k.tasks.get(text, ReadTasks, func(t Tasks) int { return len(t.Ranges) })
}

// memo keeps what texts mean.
type memo[T any] struct {
	of   map[string]T
	size int // items kept
}

// The most items a memo keeps before it begins anew, and the longest text.
const (
	memoItems = 1 << 18
	memoText  = 1 << 10
)

// get returns what the text means, by read where that is not known; items is how
// many items the meaning has.
func (m *memo[T]) get(text string, read func(string) T, items func(T) int) T {
	if v, ok := m.of[text]; ok {
		return v
	}
	if len(text) > memoText {
		return read(text)
	}
	text = strings.Clone(text) // it shares the memory of a whole reply
	v := read(text)
	if m.size += 1 + items(v); m.of == nil || m.size > memoItems {
		m.of, m.size = map[string]T{}, 1+items(v)
	}
	m.of[text] = v
	return v
}
