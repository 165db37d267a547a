package decode

import (
	"strings"

	"fairbridge/bridge/slurm"
)

// meanings is what the texts mean that come back in every reply: reading them anew
// in every record would cost more than all else of it.
type meanings struct {
	hostLists    parsedTexts[slurm.Hosts]
	constraints  parsedTexts[slurm.Features]
	dependencies parsedTexts[slurm.Dependency]
	arrays       parsedTexts[slurm.ArrayTasks]
	directives   parsedTexts[slurm.Directive]
	tracked      parsedTexts[slurm.TRES]
	nodeGRES     parsedTexts[slurm.GRESList] // of nodes
	requests     parsedTexts[slurm.GRESList]
}

func (k *meanings) hostsOf(text string) slurm.Hosts {
	return k.hostLists.parse(text, slurm.ReadHosts, func(h slurm.Hosts) int { return len(h.Names) })
}

func (k *meanings) constraintOf(text string) slurm.Features {
	return k.constraints.parse(text, slurm.ReadFeatures, func(f slurm.Features) int { return len(f.Required) })
}

func (k *meanings) dependencyOf(text string) slurm.Dependency {
	return k.dependencies.parse(text, slurm.ReadDependency, func(d slurm.Dependency) int { return len(d.JobIDs) })
}

func (k *meanings) arrayOf(text string) slurm.ArrayTasks {
	return k.arrays.parse(text, slurm.ReadArrayTasks, func(t slurm.ArrayTasks) int { return len(t.Ranges) })
}

func (k *meanings) directiveOf(comment, extra string) slurm.Directive {
	switch {
	case slurm.HasDirective(extra):
		return slurm.ReadDirective(comment, extra)
	case slurm.HasDirective(comment):
		return k.directives.parse(comment, readComment, func(slurm.Directive) int { return 0 })
	}
	return slurm.Directive{}
}

func readComment(text string) slurm.Directive { return slurm.ReadDirective(text) }

func (k *meanings) tresOf(text string) slurm.TRES {
	return k.tracked.parse(text, slurm.ReadTRES, func(t slurm.TRES) int { return len(t.Gres) })
}

func (k *meanings) gresOf(text string) slurm.GRESList {
	return k.nodeGRES.parse(text, slurm.ReadGRES, countGRES)
}

func (k *meanings) requestOf(text string) slurm.GRESList {
	return k.requests.parse(text, slurm.ReadGRESRequest, countGRES)
}

func countGRES(l slurm.GRESList) int {
	n := len(l.List)
	for i := range l.List {
		n += len(l.List[i].DeviceIndexes)
	}
	return n
}

// parsedTexts keeps what texts mean.
type parsedTexts[T any] struct {
	values map[string]T
	size   int // items kept
}

// The most parsedTexts keeps before it begins anew, in items of about 16 bytes, and the
// longest text.
const (
	maxMemoItems = 1 << 18
	maxMemoText  = 1 << 10
)

// parse returns what the text means, by read where that is not known; items is how
// many items the meaning has.
func (m *parsedTexts[T]) parse(text string, read func(string) T, items func(T) int) T {
	if v, ok := m.values[text]; ok {
		return v
	}
	if len(text) > maxMemoText {
		return read(text)
	}
	text = strings.Clone(text) // it shares the memory of a whole reply
	v := read(text)
	size := 8 + len(text)/16 + items(v)
	if m.size += size; m.values == nil || m.size > maxMemoItems {
		m.values, m.size = map[string]T{}, size
	}
	m.values[text] = v
	return v
}
