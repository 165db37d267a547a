package exact

import (
	"fmt"
	"math"
	"slices"

	"fairbridge/policy"
)

// windows are nodes of which some are set aside for a time.
type windows struct {
	nodes []policy.Node
	any   bool
}

// newWindows takes the nodes of a workload: a copy where they are to change as
// time goes on.
func newWindows(nodes []policy.Node) windows {
	w := windows{nodes: nodes, any: slices.ContainsFunc(nodes, func(n policy.Node) bool { return len(n.Windows) > 0 })}
	if w.any {
		w.nodes = slices.Clone(nodes)
	}
	return w
}

// update shows which nodes are set aside now.
func (w *windows) update(now float64) {
	if !w.any {
		return
	}
	for i := range w.nodes {
		if n := &w.nodes[i]; len(n.Windows) > 0 {
			n.UpdateDown(At(now))
		}
	}
}

// nextReturn is when the next node comes back; +Inf: none will.
func (w *windows) nextReturn(now float64) float64 {
	next := math.Inf(1)
	if !w.any {
		return next
	}
	for i := range w.nodes {
		for _, x := range w.nodes[i].Windows {
			if t := x.To.Sub(epoch).Seconds(); !x.To.IsZero() && t > now {
				next = min(next, t)
			}
		}
	}
	return next
}

// checkRun refuses a run that would reach into a time in which a node is set aside.
func (w *windows) checkRun(s *policy.Snapshot, v *policy.Job, on policy.Alloc) error {
	if !w.any {
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
