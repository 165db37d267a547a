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
	freedByNode map[string][]freedSlot // by node with windows
}

// freedSlot is devices of a node that come free.
type freedSlot struct {
	policy.Slot
	at time.Duration
}

// newSetAsideNodes also tells the future when nodes that are down for the time come
// back.
func newSetAsideNodes(r *engine.Round, f *freeForecast) *setAsideNodes {
	a := &setAsideNodes{r, map[string][]freedSlot{}}
	for i := range r.Nodes {
		n := &r.Nodes[i]
		at, ok := a.upAt(n)
		if len(n.Windows) == 0 || !ok {
			continue
		}
		a.freedByNode[n.Name] = nil
		for _, d := range n.GPUs {
			slot := policy.Slot{Node: n.Name, Type: d.Type, Count: r.FreePool.FreeOn(n.Name, d.Type)}
			a.freedByNode[n.Name] = append(a.freedByNode[n.Name], freedSlot{slot, at})
			if at > 0 {
				f.release(slot, at)
			}
		}
	}
	return a
}

// upAt returns when the node is up; ok is false when that is not known.
func (a *setAsideNodes) upAt(n *policy.Node) (at time.Duration, ok bool) {
	for _, w := range n.Windows {
		if w.IsUnderWay {
			_, at = a.timesFromNow(w)
		}
	}
	return at, n.DownReason == "" || at > 0
}

// freeAt returns when devices that a job gives back at a moment are free for
// others.
func (a *setAsideNodes) freeAt(slot policy.Slot, at time.Duration) time.Duration {
	if _, ok := a.freedByNode[slot.Node]; !ok {
		return at
	}
	for _, w := range a.Node(slot.Node).Windows {
		if from, to := a.timesFromNow(w); w.CPUs == 0 && w.GPUs == 0 && from <= at && at < to {
			at = to
		}
	}
	a.freedByNode[slot.Node] = append(a.freedByNode[slot.Node], freedSlot{slot, at})
	return at
}

// timesFromNow returns the window's time from now; one without end lasts a year.
func (a *setAsideNodes) timesFromNow(w policy.Window) (from, to time.Duration) {
	from, to = max(w.From.Sub(a.Now), 0), year
	if !w.To.IsZero() {
		to = w.To.Sub(a.Now)
	}
	return from, to
}

// subtractFrom takes what is free on a node when it is set aside.
func (a *setAsideNodes) subtractFrom(f *freeForecast) {
	for i := range a.Nodes {
		for _, w := range a.Nodes[i].Windows {
			from, to := a.timesFromNow(w)
			for _, b := range a.freedByNode[a.Nodes[i].Name] {
				n := b.Count
				if w.GPUs > 0 || w.CPUs > 0 {
					n = min(n, w.GPUs)
				}
				if n > 0 && b.at <= from && to > from && !w.IsUnderWay {
					f.reserve(b.Type, n, from, to-from)
				}
			}
		}
	}
}
