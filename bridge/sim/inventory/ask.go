package inventory

import (
	"cmp"
	"slices"
)

// Ask is what one task wants, in the form Fit works on.
type Ask struct {
	Nodes         int // at least
	PerNode       int // GPUs of each node
	Total         int // GPUs in all, that may be spread; instead of PerNode
	CPUs          int // of each node
	MemMB         int64
	Type          string // of GPU; "": any
	All           bool   // whole nodes
	RequiredNodes int    // the first so many candidates have to be used
}

// Choice says which nodes of a partition a job may use.
type Choice struct {
	Features string   // all of them: "a100&ib"
	Required []string // node names
	Excluded []string
}

// Candidates returns the nodes that may be used at all: the required ones
// first, then the rest in Slurm's order. ok is false when a required node
// cannot be used.
func (p *Partition) Candidates(c Choice) (list []*Node, ok bool) {
	list = make([]*Node, 0, len(p.Nodes))
	for _, n := range p.Nodes {
		if !n.IsUp() || slices.Contains(c.Excluded, n.Name) || !n.HasFeatures(c.Features) {
			continue
		}
		list = append(list, n)
	}
	if len(c.Required) == 0 {
		return list, true
	}
	must := func(n *Node) int {
		if slices.Contains(c.Required, n.Name) {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(list, func(x, y *Node) int { return cmp.Compare(must(x), must(y)) })
	k := len(c.Required)
	return list, len(list) >= k && must(list[k-1]) == 0
}

// Fit finds a place among the candidates, nil if there is none.
func (a Ask) Fit(list []*Node, free func(*Node) Room) Slots {
	if a.Total > 0 {
		return a.fitTotal(list, free)
	}
	var out Slots
	for i, n := range list {
		s, ok := a.SlotOn(n, free(n), a.PerNode)
		if !ok {
			if i < a.RequiredNodes {
				return nil
			}
			continue
		}
		if out = append(out, s); len(out) == a.Nodes {
			return out
		}
	}
	return nil
}

// fitTotal places a number of GPUs that may be spread: on one node if any has
// them, else on those with most free.
func (a Ask) fitTotal(list []*Node, free func(*Node) Room) Slots {
	if a.Nodes == 1 {
		for i, n := range list {
			if s, ok := a.SlotOn(n, free(n), a.Total); ok {
				return Slots{s}
			}
			if i < a.RequiredNodes {
				break
			}
		}
	}
	line := slices.Clone(list)
	slices.SortStableFunc(line[a.RequiredNodes:], func(x, y *Node) int {
		return cmp.Compare(a.mostGPUs(y, free(y)), a.mostGPUs(x, free(x)))
	})
	var out Slots
	left := a.Total
	for i, n := range line {
		needed := max(a.Nodes, a.RequiredNodes) - len(out) - 1 // nodes that must still follow
		s, ok := a.SlotOn(n, free(n), min(a.mostGPUs(n, free(n)), left-max(needed, 0)))
		if !ok || s.GPUs == 0 {
			if i < a.RequiredNodes {
				return nil
			}
			continue
		}
		out = append(out, s)
		if left -= s.GPUs; left == 0 && len(out) >= a.Nodes {
			return out
		}
	}
	return nil
}

// mostGPUs is the largest number of fitting GPUs of one type free on a node.
func (a Ask) mostGPUs(n *Node, r Room) int {
	m := 0
	for i, g := range n.GPUs {
		if a.Type == "" || a.Type == g.Type {
			m = max(m, r.GPUs[i])
		}
	}
	return m
}

// SlotOn makes the slot for so many GPUs on a node, if it has room.
func (a Ask) SlotOn(n *Node, r Room, gpus int) (Slot, bool) {
	s := Slot{Node: n, Type: -1, CPUs: a.CPUs, MemMB: a.MemMB, All: a.All}
	if a.All {
		s.CPUs = n.CPUs
	}
	if gpus < 0 || r.CPUs < s.CPUs || r.MemMB < a.MemMB || a.All && r.Jobs > 0 {
		return s, false
	}
	if gpus == 0 {
		return s, true
	}
	for i, g := range n.GPUs {
		if (a.Type == "" || a.Type == g.Type) && r.GPUs[i] >= gpus {
			s.Type, s.GPUs = i, gpus
			return s, true
		}
	}
	return s, false
}
