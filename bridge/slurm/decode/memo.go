package decode

import (
	"strings"

	"fairbridge/bridge/slurm"
)

// textCaches is what the texts mean that come back in every reply: reading them anew
// in every record would cost more than all else of it.
type textCaches struct {
	hostLists    textCache[slurm.Hosts]
	constraints  textCache[slurm.Features]
	dependencies textCache[slurm.Dependency]
	arrayTasks   textCache[slurm.ArrayTasks]
	directives   textCache[slurm.Directive]
	tres         textCache[slurm.TRES]
	nodeGRES     textCache[slurm.GRESList] // of nodes
	gresRequests textCache[slurm.GRESList]
}

func (k *textCaches) parseHosts(text string) slurm.Hosts {
	return k.hostLists.parseCached(text, slurm.ReadHosts, func(h slurm.Hosts) int { return len(h.Names) })
}

func (k *textCaches) parseConstraint(text string) slurm.Features {
	return k.constraints.parseCached(text, slurm.ReadFeatures, func(f slurm.Features) int { return len(f.Required) })
}

func (k *textCaches) parseDependency(text string) slurm.Dependency {
	return k.dependencies.parseCached(text, slurm.ReadDependency, func(d slurm.Dependency) int { return len(d.JobIDs) })
}

func (k *textCaches) parseArrayTasks(text string) slurm.ArrayTasks {
	return k.arrayTasks.parseCached(text, slurm.ReadArrayTasks, func(t slurm.ArrayTasks) int { return len(t.Ranges) })
}

func (k *textCaches) parseDirectives(comment, extra string) slurm.Directive {
	switch {
	case slurm.HasDirective(extra):
		return slurm.ReadDirective(comment, extra)
	case slurm.HasDirective(comment):
		return k.directives.parseCached(comment, readCommentDirective, func(slurm.Directive) int { return 0 })
	}
	return slurm.Directive{}
}

func readCommentDirective(text string) slurm.Directive { return slurm.ReadDirective(text) }

func (k *textCaches) parseTRES(text string) slurm.TRES {
	return k.tres.parseCached(text, slurm.ReadTRES, func(t slurm.TRES) int { return len(t.Gres) })
}

func (k *textCaches) parseNodeGRES(text string) slurm.GRESList {
	return k.nodeGRES.parseCached(text, slurm.ReadGRES, countGRESItems)
}

func (k *textCaches) parseGRESRequest(text string) slurm.GRESList {
	return k.gresRequests.parseCached(text, slurm.ReadGRESRequest, countGRESItems)
}

func countGRESItems(l slurm.GRESList) int {
	n := len(l.List)
	for i := range l.List {
		n += len(l.List[i].DeviceIndexes)
	}
	return n
}

// textCache keeps what texts mean.
type textCache[T any] struct {
	valueByText map[string]T
	itemCount   int // items kept
}

// The most textCache keeps before it begins anew, in items of about 16 bytes, and the
// longest text.
const (
	maxCacheItems      = 1 << 18
	maxCachedTextBytes = 1 << 10
)

// parseCached returns what the text means, by read where that is not known; items is how
// many items the meaning has.
func (m *textCache[T]) parseCached(text string, read func(string) T, items func(T) int) T {
	if v, ok := m.valueByText[text]; ok {
		return v
	}
	if len(text) > maxCachedTextBytes {
		return read(text)
	}
	text = strings.Clone(text) // it shares the memory of a whole reply
	v := read(text)
	size := 8 + len(text)/16 + items(v)
	if m.itemCount += size; m.valueByText == nil || m.itemCount > maxCacheItems {
		m.valueByText, m.itemCount = map[string]T{}, size
	}
	m.valueByText[text] = v
	return v
}
