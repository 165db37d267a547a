package policy

import (
	"slices"
	"time"
)

// Window is a time in which a node, or a part of it, is set aside: a maintenance
// or a reservation. A job that is not of the reservation starts there only if its
// time limit ends before the window begins.
type Window struct {
	From          time.Time `json:"from"`
	To            time.Time `json:"to,omitzero"`    // zero: without end
	Name          string    `json:"name,omitempty"` // of the reservation; windows of one name are its recurrences
	IsMaintenance bool      `json:"work,omitempty"` // it is a maintenance
	CPUs          int       `json:"cpus,omitempty"` // cores set aside; with GPUs 0 too: the whole node
	GPUs          int       `json:"gpus,omitempty"` // devices set aside
	IsUnderWay    bool      `json:"now,omitempty"`  // the node is Down for no other reason, until To
}

// OtherUse is what jobs that are not in the snapshot, since they ask for no GPU,
// hold of a node until their time limits end.
type OtherUse struct {
	CPUs  int       `json:"cpus,omitempty"`
	MemMB int64     `json:"mem_mb,omitempty"`
	Until time.Time `json:"until,omitzero"` // zero: not known
}

// takesWholeNode reports whether nothing of the node is left.
func (w *Window) takesWholeNode() bool { return w.CPUs == 0 && w.GPUs == 0 }

// String prints "the maintenance m1" or "reservation r1".
func (w *Window) String() string {
	if w.IsMaintenance {
		return "the maintenance " + w.Name
	}
	return "reservation " + w.Name
}

// overlaps reports whether a run from a moment on for a length (0: without end)
// has a time in common with the window.
func (w *Window) overlaps(from time.Time, length time.Duration) bool {
	return w.EndsAfter(from) && (length <= 0 || w.From.Before(from.Add(length)))
}

// EndsAfter reports whether the window ends after the moment.
func (w *Window) EndsAfter(t time.Time) bool { return w.To.IsZero() || w.To.After(t) }

// WindowDuring returns the window that keeps a run from a moment on for a length (0:
// without end) off the node, nil where there is none, and what smaller
// windows take of its cores and devices meanwhile. Of a reservation that recurs
// only the next time counts, as for Slurm.
func (n *Node) WindowDuring(from time.Time, length time.Duration) (w *Window, cpus, gpus int) {
	for i := range n.Windows {
		x := &n.Windows[i]
		switch {
		case !x.overlaps(from, length) || n.isRecurrence(i, from):
		case x.takesWholeNode():
			return x, 0, 0
		default:
			cpus, gpus = cpus+x.CPUs, gpus+x.GPUs
		}
	}
	return nil, cpus, gpus
}

// NextWindow returns the first window that a run reaches into; nil: none.
func (n *Node) NextWindow(from time.Time, length time.Duration) *Window {
	for i := range n.Windows {
		if n.Windows[i].overlaps(from, length) {
			return &n.Windows[i]
		}
	}
	return nil
}

// IsDownAt reports whether the node is down at a moment; zero: whether it is for
// good, as far as known.
func (n *Node) IsDownAt(at time.Time) bool {
	if n.DownReason == "" {
		return false
	}
	for i := range n.Windows {
		if w := &n.Windows[i]; w.IsUnderWay && (at.IsZero() || !w.EndsAfter(at)) {
			return false
		}
	}
	return true
}

// UpdateDownReason makes the node Down while a window of the whole node is under way, for
// no other reason, and up again when it was. Its windows become its own.
func (n *Node) UpdateDownReason(now time.Time) {
	n.Windows = slices.Clone(n.Windows)
	in := false
	for i := range n.Windows {
		w := &n.Windows[i]
		if w.IsUnderWay {
			w.IsUnderWay, n.DownReason = false, ""
		}
		if !in && n.DownReason == "" && w.takesWholeNode() && w.EndsAfter(now) && !w.From.After(now) {
			w.IsUnderWay, in = true, true
		}
		if w.IsUnderWay {
			n.DownReason = "set aside for " + w.String()
		}
	}
}

// isRecurrence reports whether an earlier window of the same reservation is still to
// end.
func (n *Node) isRecurrence(i int, from time.Time) bool {
	for k := range i {
		if n.Windows[k].Name == n.Windows[i].Name && n.Windows[k].EndsAfter(from) {
			return true
		}
	}
	return false
}
