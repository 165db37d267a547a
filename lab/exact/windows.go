package exact

import (
	"fmt"
	"math"
	"slices"

	"fairbridge/policy"
	"fairbridge/replica/workload"
)

// nodeWindows are nodes of which some are set aside for a time.
type nodeWindows struct {
	nodes      []policy.Node
	hasWindows bool
}

// newNodeWindows takes the nodes of a workload: a copy where they are to change as
// time goes on.
func newNodeWindows(nodes []policy.Node) nodeWindows {
	w := nodeWindows{nodes: nodes, hasWindows: slices.ContainsFunc(nodes, func(n policy.Node) bool { return len(n.Windows) > 0 })}
	if w.hasWindows {
		w.nodes = slices.Clone(nodes)
	}
	return w
}

// updateDownNodes shows which nodes are set aside now.
func (w *nodeWindows) updateDownNodes(now float64) {
	if !w.hasWindows {
		return
	}
	for i := range w.nodes {
		if n := &w.nodes[i]; len(n.Windows) > 0 {
			n.UpdateDownReason(workload.CalendarTimeAt(now))
		}
	}
}

// nextReturn is when the next node comes back; +Inf: none will.
func (w *nodeWindows) nextReturn(now float64) float64 {
	next := math.Inf(1)
	if !w.hasWindows {
		return next
	}
	for i := range w.nodes {
		for _, x := range w.nodes[i].Windows {
			if t := x.To.Sub(workload.Start).Seconds(); !x.To.IsZero() && t > now {
				next = min(next, t)
			}
		}
	}
	return next
}

// checkRunFits refuses a run that would reach into a time in which a node is set aside.
func (w *nodeWindows) checkRunFits(s *policy.Snapshot, v *policy.Job, on policy.Alloc) error {
	if !w.hasWindows {
		return nil
	}
	for _, name := range on.Nodes() {
		n := s.Node(name)
		if n == nil {
			continue
		}
		if x, _, _ := n.WindowDuring(s.Now, v.Limit); x != nil {
			return fmt.Errorf("job %d: put on %s with a limit of %v, which %v takes at %v", v.ID, name, v.Limit, x, x.From)
		}
	}
	return nil
}
