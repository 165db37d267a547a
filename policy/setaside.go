package policy

import (
	"fmt"
	"slices"
	"time"
)

// Window is a time in which a node, or a part of it, is set aside: a maintenance
// or a reservation. A job that is not of the reservation starts there only if its
// time limit ends before the window begins.
type Window struct {
	From time.Time `json:"from"`
	To   time.Time `json:"to,omitzero"`    // zero: without end
	Name string    `json:"name,omitempty"` // of the reservation; windows of one name are its recurrences
	Work bool      `json:"work,omitempty"` // it is a maintenance
	CPUs int       `json:"cpus,omitempty"` // cores set aside; with GPUs 0 too: the whole node
	GPUs int       `json:"gpus,omitempty"` // devices set aside
	Now  bool      `json:"now,omitempty"`  // the node is Down for no other reason, until To
}

// Other is what jobs that are not in the snapshot, since they ask for no GPU,
// hold of a node until their time limits end.
type Other struct {
	CPUs  int       `json:"cpus,omitempty"`
	MemMB int64     `json:"mem_mb,omitempty"`
	Until time.Time `json:"until,omitzero"` // zero: not known
}

// whole reports whether nothing of the node is left.
func (w *Window) whole() bool { return w.CPUs == 0 && w.GPUs == 0 }

// String prints "the maintenance m1" or "reservation r1".
func (w *Window) String() string {
	if w.Work {
		return "the maintenance " + w.Name
	}
	return "reservation " + w.Name
}

// within reports whether a run from a moment on for a length (0: without end)
// has a time in common with the window.
func (w *Window) within(from time.Time, length time.Duration) bool {
	return w.over(from) && (length <= 0 || w.From.Before(from.Add(length)))
}

// over reports whether the window ends after the moment.
func (w *Window) over(t time.Time) bool { return w.To.IsZero() || w.To.After(t) }

// Aside returns the window that keeps a run from a moment on for a length (0:
// without end) off the node, nil where there is none, and what smaller
// windows take of its cores and devices meanwhile. Of a reservation that recurs
// only the next time counts, as for Slurm.
func (n *Node) Aside(from time.Time, length time.Duration) (w *Window, cpus, gpus int) {
	for i := range n.Windows {
		x := &n.Windows[i]
		switch {
		case !x.within(from, length) || n.recurs(i, from):
		case x.whole():
			return x, 0, 0
		default:
			cpus, gpus = cpus+x.CPUs, gpus+x.GPUs
		}
	}
	return nil, cpus, gpus
}

// next returns the first window that a run reaches into; nil: none.
func (n *Node) next(from time.Time, length time.Duration) *Window {
	for i := range n.Windows {
		if n.Windows[i].within(from, length) {
			return &n.Windows[i]
		}
	}
	return nil
}

// down reports whether the node is down at a moment; zero: whether it is for
// good, as far as known.
func (n *Node) down(at time.Time) bool {
	if n.Down == "" {
		return false
	}
	for i := range n.Windows {
		if w := &n.Windows[i]; w.Now && (at.IsZero() || !w.over(at)) {
			return false
		}
	}
	return true
}

// Enter makes the node Down while a window of the whole node is under way, for
// no other reason, and up again when it was. Its windows become its own.
func (n *Node) Enter(now time.Time) {
	n.Windows = slices.Clone(n.Windows)
	in := false
	for i := range n.Windows {
		w := &n.Windows[i]
		if w.Now {
			w.Now, n.Down = false, ""
		}
		if !in && n.Down == "" && w.whole() && w.over(now) && !w.From.After(now) {
			w.Now, in = true, true
		}
		if w.Now {
			n.Down = "set aside for " + w.String()
		}
	}
}

// recurs reports whether an earlier window of the same reservation is still to
// end.
func (n *Node) recurs(i int, from time.Time) bool {
	for k := range i {
		if n.Windows[k].Name == n.Windows[i].Name && n.Windows[k].over(from) {
			return true
		}
	}
	return false
}

// edges returns after how long from now windows begin, ascending: two limits
// between the same edges reach into the same windows.
func edges(s *Snapshot) []time.Duration {
	var all []time.Duration
	for i := range s.Nodes {
		for k := range s.Nodes[i].Windows {
			if w := &s.Nodes[i].Windows[k]; w.over(s.Now) {
				all = append(all, max(w.From.Sub(s.Now), 0))
			}
		}
	}
	return all
}

// shut explains why the ask has no room in the empty pool.
func (p *Pool) shut(partition string, a Ask) *shut {
	s := &shut{limit: a.Limit}
	for i := range p.nodes {
		h := &p.nodes[i]
		if h.free(a.GPUs.Type) == 0 || h.down(time.Time{}) || !h.allows(partition, &a) {
			continue
		}
		w := h.next(p.from, a.Limit)
		switch {
		case w == nil:
		case s.node == "":
			s.node, s.window = h.Name, *w
		default:
			s.others++
			if w.From.Before(s.window.From) {
				s.node, s.window = h.Name, *w
			}
		}
	}
	for _, a.Limit = range slices.Backward(p.edges) {
		if a.Limit > 0 && (s.limit <= 0 || a.Limit < s.limit) && p.fits(partition, a) {
			s.best = a.Limit
			break
		}
	}
	return s
}

// shut says why a gang has no room before some windows.
type shut struct {
	limit  time.Duration
	node   string
	others int // nodes, besides
	window Window
	best   time.Duration // the longest limit that would do, if no job ran; 0: none
}

// Error implements error.
func (s *shut) Error() string {
	limit := "it has no time limit, so it"
	if s.limit > 0 {
		limit = "its limit of " + s.limit.String()
	}
	where := s.node
	if s.others > 0 {
		where = fmt.Sprintf("%s and %d more", s.node, s.others)
	}
	why := fmt.Sprintf("%s reaches into %v of %s at %s", limit, &s.window, where, s.window.From.UTC().Format("2006-01-02 15:04 MST"))
	if s.best > 0 {
		why += fmt.Sprintf("; with a limit under %v it could run before that", s.best.Truncate(time.Second))
	}
	return why
}
