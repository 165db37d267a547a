package sim

import (
	"cmp"
	"slices"
	"strings"
)

// ask is what one task wants, in the form fit works on.
type ask struct {
	nodes, perNode, total, cpus int
	mem                         int64
	typ                         string
	all                         bool // whole nodes
	must                        int  // the first so many candidates have to be used
}

func (j *job) ask() ask {
	s := &j.spec
	return ask{
		nodes: max(s.Nodes, len(s.Required)), perNode: s.GPUsPerNode, total: s.GPUs, cpus: s.CPUs,
		mem: j.memory(), typ: s.GPUType, all: s.Exclusive, must: len(s.Required),
	}
}

// candidates returns the nodes the job may use at all: the required ones
// first, then the rest in Slurm's order. ok is false when a required node
// cannot be used.
func candidates(j *job, p *partition) (list []*node, ok bool) {
	s := &j.spec
	for _, n := range p.nodes {
		if !n.up() || contains(s.Excluded, n.Name) || !n.has(s.Features) {
			continue
		}
		list = append(list, n)
	}
	if len(s.Required) == 0 {
		return list, true
	}
	must := func(n *node) int {
		if contains(s.Required, n.Name) {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(list, func(x, y *node) int { return cmp.Compare(must(x), must(y)) })
	k := len(s.Required)
	return list, len(list) >= k && must(list[k-1]) == 0
}

// has reports whether the node has all features of "a&b".
func (n *node) has(features string) bool {
	if features == "" {
		return true
	}
	for _, f := range strings.FieldsFunc(features, func(r rune) bool { return r == '&' || r == ',' }) {
		if !contains(n.Features, f) {
			return false
		}
	}
	return true
}

// fit finds a place among the candidates, nil if there is none.
func (a ask) fit(list []*node, free func(*node) room) []slot {
	if a.total > 0 {
		return a.fitTotal(list, free)
	}
	var out []slot
	for i, n := range list {
		s, ok := a.on(n, free(n), a.perNode)
		if !ok {
			if i < a.must {
				return nil
			}
			continue
		}
		if out = append(out, s); len(out) == a.nodes {
			return out
		}
	}
	return nil
}

// fitTotal places a number of GPUs that may be spread: on one node if any has
// them, else on those with most free.
func (a ask) fitTotal(list []*node, free func(*node) room) []slot {
	if a.nodes == 1 {
		for i, n := range list {
			if s, ok := a.on(n, free(n), a.total); ok {
				return []slot{s}
			}
			if i < a.must {
				break
			}
		}
	}
	line := slices.Clone(list)
	slices.SortStableFunc(line[a.must:], func(x, y *node) int {
		return cmp.Compare(a.most(y, free(y)), a.most(x, free(x)))
	})
	var out []slot
	left := a.total
	for i, n := range line {
		needed := max(a.nodes, a.must) - len(out) - 1 // nodes that must still follow
		s, ok := a.on(n, free(n), min(a.most(n, free(n)), left-max(needed, 0)))
		if !ok || s.gpus == 0 {
			if i < a.must {
				return nil
			}
			continue
		}
		out = append(out, s)
		if left -= s.gpus; left == 0 && len(out) >= a.nodes {
			return out
		}
	}
	return nil
}

// most is the largest number of fitting GPUs of one type free on a node.
func (a ask) most(n *node, r room) int {
	m := 0
	for i, g := range n.GPUs {
		if a.typ == "" || a.typ == g.Type {
			m = max(m, r.gpus[i])
		}
	}
	return m
}

// on makes the slot for so many GPUs on a node, if it has room.
func (a ask) on(n *node, r room, gpus int) (slot, bool) {
	s := slot{n: n, typ: -1, cpus: a.cpus, mem: a.mem, all: a.all}
	if a.all {
		s.cpus = n.CPUs
	}
	if gpus < 0 || r.cpus < s.cpus || r.mem < a.mem || a.all && r.jobs > 0 {
		return s, false
	}
	if gpus == 0 {
		return s, true
	}
	for i, g := range n.GPUs {
		if (a.typ == "" || a.typ == g.Type) && r.gpus[i] >= gpus {
			s.typ, s.gpus = i, gpus
			return s, true
		}
	}
	return s, false
}
