package inventory

import (
	"cmp"
	"slices"
)

// Request is what one task wants, in the form FindSlots works on.
type Request struct {
	MinNodes       int // at least
	GPUsPerNode    int // GPUs of each node
	TotalGPUs      int // GPUs in all, that may be spread; instead of PerNode
	Shards         int // shards of one GPU of each node; instead of PerNode
	CPUsPerNode    int // of each node
	MemMBPerNode   int64
	GPUType        string // of GPU; "": any
	Exclusive      bool   // whole nodes
	NamedNodeCount int    // the first so many candidates have to be used
}

// NodeFilter says which nodes of a partition a job may use.
type NodeFilter struct {
	Features      string   // all of them: "a100&ib"
	RequiredNodes []string // node names
	ExcludedNodes []string
}

// CandidateNodes returns the nodes that may be used at all: the required ones
// first, then the rest in Slurm's order. ok is false when a required node
// cannot be used.
func (p *Partition) CandidateNodes(c NodeFilter) (list []*Node, ok bool) {
	list = make([]*Node, 0, len(p.Nodes))
	for _, n := range p.Nodes {
		if !n.IsUp() || slices.Contains(c.ExcludedNodes, n.Name) || !n.HasFeatures(c.Features) {
			continue
		}
		list = append(list, n)
	}
	if len(c.RequiredNodes) == 0 {
		return list, true
	}
	must := func(n *Node) int {
		if slices.Contains(c.RequiredNodes, n.Name) {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(list, func(x, y *Node) int { return cmp.Compare(must(x), must(y)) })
	k := len(c.RequiredNodes)
	return list, len(list) >= k && must(list[k-1]) == 0
}

// FindSlots finds a place among the candidates, nil if there is none.
func (a Request) FindSlots(list []*Node, free func(*Node) FreeResources) Slots {
	switch {
	case a.TotalGPUs > 0:
		return a.findSpreadSlots(list, free)
	case a.NamedNodeCount > 0:
		return a.findNamedSlots(list, free)
	}
	return a.findTightestSlots(list, free)
}

// findNamedSlots takes the nodes that have to be used and then the first that have room.
func (a Request) findNamedSlots(list []*Node, free func(*Node) FreeResources) Slots {
	var out Slots
	for i, n := range list {
		s, ok := a.NewSlot(n, free(n), a.GPUsPerNode)
		if !ok {
			if i < a.NamedNodeCount {
				return nil
			}
			continue
		}
		if out = append(out, s); len(out) == a.MinNodes {
			return out
		}
	}
	return nil
}

// findSpreadSlots places a number of GPUs that may be spread: on one node if any has
// them, else on those with most free.
func (a Request) findSpreadSlots(list []*Node, free func(*Node) FreeResources) Slots {
	if a.MinNodes == 1 {
		for i, n := range list {
			if s, ok := a.NewSlot(n, free(n), a.TotalGPUs); ok {
				return Slots{s}
			}
			if i < a.NamedNodeCount {
				break
			}
		}
	}
	line := slices.Clone(list)
	slices.SortStableFunc(line[a.NamedNodeCount:], func(x, y *Node) int {
		return cmp.Compare(a.maxFreeGPUs(y, free(y)), a.maxFreeGPUs(x, free(x)))
	})
	var out Slots
	left := a.TotalGPUs
	for i, n := range line {
		needed := max(a.MinNodes, a.NamedNodeCount) - len(out) - 1 // nodes that must still follow
		s, ok := a.NewSlot(n, free(n), min(a.maxFreeGPUs(n, free(n)), left-max(needed, 0)))
		if !ok || s.GPUs == 0 {
			if i < a.NamedNodeCount {
				return nil
			}
			continue
		}
		out = append(out, s)
		if left -= s.GPUs; left == 0 && len(out) >= a.MinNodes {
			return out
		}
	}
	return nil
}

// maxFreeGPUs is the largest number of fitting GPUs of one type free on a node.
func (a Request) maxFreeGPUs(n *Node, r FreeResources) int {
	m := 0
	for i, g := range n.GPUs {
		if a.GPUType == "" || a.GPUType == g.Type {
			m = max(m, r.GPUsByType[i])
		}
	}
	return m
}

// NewSlot makes the slot for so many GPUs on a node, if it has room.
func (a Request) NewSlot(n *Node, r FreeResources, gpus int) (Slot, bool) {
	s := Slot{Node: n, TypeIndex: -1, CPUs: a.CPUsPerNode, MemMB: a.MemMBPerNode, IsExclusive: a.Exclusive}
	if a.Exclusive {
		s.CPUs = n.CPUs
	}
	if gpus < 0 || r.CPUs < s.CPUs || r.MemMB < a.MemMBPerNode || a.Exclusive && r.JobCount > 0 {
		return s, false
	}
	switch {
	case a.Shards > 0:
		return a.newSharedSlot(s, n, r)
	case gpus == 0:
		return s, true
	}
	for i, g := range n.GPUs {
		if (a.GPUType == "" || a.GPUType == g.Type) && r.GPUsByType[i] >= gpus {
			s.TypeIndex, s.GPUs = i, gpus
			return s, true
		}
	}
	return s, false
}
