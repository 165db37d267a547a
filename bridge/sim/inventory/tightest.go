package inventory

import (
	"cmp"
	"slices"
)

// nodeRun is a stretch of neighbouring nodes that all have room for a share of a job.
type nodeRun struct {
	slots []Slot
	cpus  []int // free on each
	sum   int   // of cpus
}

// findTightestSlots chooses among the nodes that have room as Slurm does without a topology:
// of the stretches of neighbours that are long enough the one with the fewest free CPUs, from
// its beginning; a single node is the one of it with the fewest free CPUs. Where none is
// long enough the one with most free CPUs is used up, and so on.
func (a Request) findTightestSlots(list []*Node, free func(*Node) FreeResources) Slots {
	runs, count := a.listNodeRuns(list, free)
	if count < a.MinNodes {
		return nil
	}
	out := make(Slots, 0, a.MinNodes)
	for len(out) < a.MinNodes {
		left := a.MinNodes - len(out)
		i := pickNodeRun(runs, left)
		r := runs[i]
		switch {
		case left == 1:
			return sortedByNode(append(out, r.slots[slices.Index(r.cpus, slices.Min(r.cpus))]))
		case len(r.slots) >= left:
			return sortedByNode(append(out, r.slots[:left]...))
		}
		out = append(out, r.slots...)
		runs = slices.Delete(runs, i, i+1)
	}
	return out
}

// listNodeRuns lists the stretches of nodes with room, and how many nodes they are.
func (a Request) listNodeRuns(list []*Node, free func(*Node) FreeResources) (runs []nodeRun, count int) {
	last := -2
	for _, n := range list {
		r := free(n)
		s, ok := a.NewSlot(n, r, a.GPUsPerNode)
		if !ok {
			continue
		}
		if n.Index != last+1 {
			runs = append(runs, nodeRun{})
		}
		last = n.Index
		run := &runs[len(runs)-1]
		run.slots, run.cpus, run.sum = append(run.slots, s), append(run.cpus, r.CPUs), run.sum+r.CPUs
		count++
	}
	return runs, count
}

// pickNodeRun returns the index of the stretch to be used next for so many nodes.
func pickNodeRun(runs []nodeRun, nodes int) int {
	best := 0
	for i := 1; i < len(runs); i++ {
		is, was := len(runs[i].slots) >= nodes, len(runs[best].slots) >= nodes
		if is && (!was || runs[i].sum < runs[best].sum) || !is && !was && runs[i].sum > runs[best].sum {
			best = i
		}
	}
	return best
}

func sortedByNode(s Slots) Slots {
	slices.SortFunc(s, func(x, y Slot) int { return cmp.Compare(x.Node.Index, y.Node.Index) })
	return s
}
