package backfill

import (
	"time"

	"fairbridge/policy"
	"fairbridge/policy/engine"
)

// setAsideNodes is what nodes that are set aside for a time mean for numbers of GPUs:
// what is free on them when that begins is not free meanwhile, and what comes
// back meanwhile comes back at its end.
type setAsideNodes struct {
	*engine.Round
	freedSlotsByNode map[string][]freedSlot // by node with windows
}

// freedSlot is devices of a node that come free.
type freedSlot struct {
	policy.Slot
	freedAt time.Duration
}

// newSetAsideNodes also tells the future when nodes that are down for the time come
// back.
func newSetAsideNodes(r *engine.Round, f *freeForecast) *setAsideNodes {
	a := &setAsideNodes{r, map[string][]freedSlot{}}
	for i := range r.Nodes {
		n := &r.Nodes[i]
		at, ok := a.upFrom(n)
		if len(n.Windows) == 0 || !ok {
			continue
		}
		a.freedSlotsByNode[n.Name] = nil
		for _, d := range n.GPUs {
			slot := policy.Slot{Node: n.Name, Type: d.Type, Count: r.FreePool.FreeOnNode(n.Name, d.Type)}
			a.freedSlotsByNode[n.Name] = append(a.freedSlotsByNode[n.Name], freedSlot{slot, at})
			if at > 0 {
				f.addRelease(slot, at)
			}
		}
	}
	return a
}

// upFrom returns when the node is up; ok is false when that is not known.
func (a *setAsideNodes) upFrom(n *policy.Node) (at time.Duration, ok bool) {
	for _, w := range n.Windows {
		if w.IsUnderWay {
			_, at = a.windowFromNow(w)
		}
	}
	return at, n.DownReason == "" || at > 0
}

// freeFrom returns when devices that a job gives back at a moment are free for
// others.
func (a *setAsideNodes) freeFrom(slot policy.Slot, at time.Duration) time.Duration {
	if _, ok := a.freedSlotsByNode[slot.Node]; !ok {
		return at
	}
	for _, w := range a.Node(slot.Node).Windows {
		if from, to := a.windowFromNow(w); w.CPUs == 0 && w.GPUs == 0 && from <= at && at < to {
			at = to
		}
	}
	a.freedSlotsByNode[slot.Node] = append(a.freedSlotsByNode[slot.Node], freedSlot{slot, at})
	return at
}

// windowFromNow returns the window's time from now; one without end lasts a year.
func (a *setAsideNodes) windowFromNow(w policy.Window) (from, to time.Duration) {
	from, to = max(w.From.Sub(a.Now), 0), runTimeWithoutLimit
	if !w.To.IsZero() {
		to = w.To.Sub(a.Now)
	}
	return from, to
}

// subtractWindows takes what is free on a node when it is set aside.
func (a *setAsideNodes) subtractWindows(f *freeForecast) {
	for i := range a.Nodes {
		for _, w := range a.Nodes[i].Windows {
			from, to := a.windowFromNow(w)
			for _, b := range a.freedSlotsByNode[a.Nodes[i].Name] {
				n := b.Count
				if w.GPUs > 0 || w.CPUs > 0 {
					n = min(n, w.GPUs)
				}
				if n > 0 && b.freedAt <= from && to > from && !w.IsUnderWay {
					f.reserve(b.Type, n, from, to-from)
				}
			}
		}
	}
}
