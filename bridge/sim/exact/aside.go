package exact

import (
	"fmt"
	"math"
	"slices"
	"time"

	"fairbridge/policy"
)

// At returns the calendar time of a moment of a workload, in which the windows of
// Config.Nodes are given.
func At(seconds float64) time.Time { return at(seconds) }

// asides prepares nodes that are set aside for a time: those are changed as time
// goes on.
func (e *engine) asides() {
	for i := range e.snap.Nodes {
		e.aside = e.aside || len(e.snap.Nodes[i].Windows) > 0
	}
	if e.aside {
		e.snap.Nodes = slices.Clone(e.snap.Nodes)
	}
}

// enterWindows shows policies which nodes are set aside now.
func (e *engine) enterWindows() {
	if !e.aside {
		return
	}
	for i := range e.snap.Nodes {
		if n := &e.snap.Nodes[i]; len(n.Windows) > 0 {
			n.Enter(e.snap.Now)
		}
	}
}

// back is when the next node comes back; +Inf: none will.
func (e *engine) back() float64 {
	next := math.Inf(1)
	if !e.aside {
		return next
	}
	for i := range e.snap.Nodes {
		for _, w := range e.snap.Nodes[i].Windows {
			if t := w.To.Sub(epoch).Seconds(); !w.To.IsZero() && t > e.now {
				next = min(next, t)
			}
		}
	}
	return next
}

// inTime refuses a run that would reach into a time in which a node is set
// aside.
func (e *engine) inTime(v *policy.Job, on policy.Alloc) error {
	if !e.aside {
		return nil
	}
	for _, name := range on.Nodes() {
		n := e.snap.Node(name)
		if n == nil {
			continue
		}
		if w, _, _ := n.Aside(e.snap.Now, v.Limit); w != nil {
			return fmt.Errorf("job %d: put on %s with a limit of %v, which %v takes at %v", v.ID, name, v.Limit, w, w.From)
		}
	}
	return nil
}
