package decode

import (
	"strings"

	"fairbridge/bridge/slurm"
)

// known is what the texts mean that come back in every reply: reading them anew
// in every record would cost more than all else of it.
type known struct {
	lists    memo[slurm.Hosts]
	features memo[slurm.Features]
	depends  memo[slurm.Dependency]
	tasks    memo[slurm.Tasks]
	comments memo[slurm.Directive]
	tracked  memo[slurm.TRES]
	generic  memo[slurm.GRESList] // of nodes
	requests memo[slurm.GRESList]
}

func (k *known) hosts(text string) slurm.Hosts {
	return k.lists.get(text, slurm.ReadHosts, func(h slurm.Hosts) int { return len(h.Names) })
}

func (k *known) constraint(text string) slurm.Features {
	return k.features.get(text, slurm.ReadFeatures, func(f slurm.Features) int { return len(f.All) })
}

func (k *known) dependency(text string) slurm.Dependency {
	return k.depends.get(text, slurm.ReadDependency, func(d slurm.Dependency) int { return len(d.Jobs) })
}

func (k *known) array(text string) slurm.Tasks {
	return k.tasks.get(text, slurm.ReadTasks, func(t slurm.Tasks) int { return len(t.Ranges) })
}

func (k *known) directive(comment, extra string) slurm.Directive {
	switch {
	case slurm.Directs(extra):
		return slurm.ReadDirective(comment, extra)
	case slurm.Directs(comment):
		return k.comments.get(comment, readComment, func(slurm.Directive) int { return 0 })
	}
	return slurm.Directive{}
}

func readComment(text string) slurm.Directive { return slurm.ReadDirective(text) }

func (k *known) tres(text string) slurm.TRES {
	return k.tracked.get(text, slurm.ReadTRES, func(t slurm.TRES) int { return len(t.Gres) })
}

func (k *known) gres(text string) slurm.GRESList {
	return k.generic.get(text, slurm.ReadGRES, gresItems)
}

func (k *known) request(text string) slurm.GRESList {
	return k.requests.get(text, slurm.ReadRequest, gresItems)
}

func gresItems(l slurm.GRESList) int {
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

// The most a memo keeps before it begins anew, in items of about 16 bytes, and the
// longest text.
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
	size := 8 + len(text)/16 + items(v)
	if m.size += size; m.of == nil || m.size > memoItems {
		m.of, m.size = map[string]T{}, size
	}
	m.of[text] = v
	return v
}
