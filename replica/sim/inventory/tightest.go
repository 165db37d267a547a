package inventory

import (
	"cmp"
	"slices"
)

// nodeRun is a stretch of neighbouring nodes that all have room for a share of a job.
type nodeRun struct {
	rooms []nodeRoom
	cpus  int // free on all
}

// nodeRoom is a node with room, and its free CPUs.
type nodeRoom struct {
	*Node
	cpus int
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
		rooms := runs[i].rooms
		switch {
		case left == 1:
			rooms = []nodeRoom{slices.MinFunc(rooms, func(x, y nodeRoom) int { return cmp.Compare(x.cpus, y.cpus) })}
		case len(rooms) > left:
			rooms = rooms[:left]
		}
		for _, r := range rooms {
			s, _ := a.NewSlot(r.Node, free(r.Node), a.GPUsPerNode)
			out = append(out, s)
		}
		runs = slices.Delete(runs, i, i+1)
	}
	return sortedByNode(out)
}

// listNodeRuns lists the stretches of nodes with room, and how many nodes they are.
func (a Request) listNodeRuns(list []*Node, free func(*Node) FreeResources) (runs []nodeRun, count int) {
	rooms := make([]nodeRoom, 0, len(list))
	for _, n := range list {
		r := free(n)
		if _, ok := a.NewSlot(n, r, a.GPUsPerNode); !ok {
			continue
		}
		if len(rooms) == 0 || n.Index != rooms[len(rooms)-1].Index+1 {
			runs = append(runs, nodeRun{rooms: rooms[len(rooms):]})
		}
		rooms = append(rooms, nodeRoom{n, r.CPUs})
		run := &runs[len(runs)-1]
		run.rooms, run.cpus = run.rooms[:len(run.rooms)+1], run.cpus+r.CPUs
	}
	return runs, len(rooms)
}

// pickNodeRun returns the index of the stretch to be used next for so many nodes.
func pickNodeRun(runs []nodeRun, nodes int) int {
	best := 0
	for i := 1; i < len(runs); i++ {
		is, was := len(runs[i].rooms) >= nodes, len(runs[best].rooms) >= nodes
		if is && (!was || runs[i].cpus < runs[best].cpus) || !is && !was && runs[i].cpus > runs[best].cpus {
			best = i
		}
	}
	return best
}

func sortedByNode(s Slots) Slots {
	slices.SortFunc(s, func(x, y Slot) int { return cmp.Compare(x.Node.Index, y.Node.Index) })
	return s
}
