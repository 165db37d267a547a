package slurm

import "strings"

// known is what the texts mean that come back in every reply: reading them anew
// in every record would cost more than all else of it.
type known struct {
	lists    memo[Hosts]
	features memo[Features]
	depends  memo[Dependency]
	tasks    memo[Tasks]
	comments memo[Directive]
	tracked  memo[TRES]
	generic  memo[GRESList] // of nodes
	requests memo[GRESList]
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

func (k *known) directive(comment, extra string) Directive {
	switch {
	case directs(extra):
		return ReadDirective(comment, extra)
	case directs(comment):
		return k.comments.get(comment, readComment, func(Directive) int { return 0 })
	}
	return Directive{}
}

func readComment(text string) Directive { return ReadDirective(text) }

func (k *known) tres(text string) TRES {
	return k.tracked.get(text, ReadTRES, func(t TRES) int { return len(t.Gres) })
}

func (k *known) gres(text string) GRESList { return k.generic.get(text, ReadGRES, gresItems) }

func (k *known) request(text string) GRESList { return k.requests.get(text, ReadRequest, gresItems) }

func gresItems(l GRESList) int {
	n := len(l.List)
	for i := range l.List {
		n += len(l.List[i].Index)
	}
	return n
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
