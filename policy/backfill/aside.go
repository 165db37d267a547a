package backfill

import (
	"time"

	"fairbridge/policy"
	"fairbridge/policy/engine"
)

// asides is what nodes that are set aside for a time mean for numbers of GPUs:
// what is free on them when that begins is not free meanwhile, and what comes
// back meanwhile comes back at its end.
type asides struct {
	*engine.Round
	given map[string][]back // by node with windows
}

// back is devices of a node that come free.
type back struct {
	policy.Slot
	at time.Duration
}

// newAsides also tells the future when nodes that are down for the time come
// back.
func newAsides(r *engine.Round, f *future) *asides {
	a := &asides{r, map[string][]back{}}
	for i := range r.Nodes {
		n := &r.Nodes[i]
		at, ok := a.up(n)
		if len(n.Windows) == 0 || !ok {
			continue
		}
		a.given[n.Name] = nil
		for _, d := range n.GPUs {
			slot := policy.Slot{Node: n.Name, Type: d.Type, Count: r.Free.FreeOn(n.Name, d.Type)}
			a.given[n.Name] = append(a.given[n.Name], back{slot, at})
			if at > 0 {
				f.release(slot, at)
			}
		}
	}
	return a
}

// up returns when the node is up; ok is false when that is not known.
func (a *asides) up(n *policy.Node) (at time.Duration, ok bool) {
	for _, w := range n.Windows {
		if w.Now {
			_, at = a.span(w)
		}
	}
	return at, n.Down == "" || at > 0
}

// back returns when devices that a job gives back at a moment are free for
// others.
func (a *asides) back(slot policy.Slot, at time.Duration) time.Duration {
	if _, ok := a.given[slot.Node]; !ok {
		return at
	}
	for _, w := range a.Node(slot.Node).Windows {
		if from, to := a.span(w); w.CPUs == 0 && w.GPUs == 0 && from <= at && at < to {
			at = to
		}
	}
	a.given[slot.Node] = append(a.given[slot.Node], back{slot, at})
	return at
}

// span returns the window's time from now; one without end lasts a year.
func (a *asides) span(w policy.Window) (from, to time.Duration) {
	from, to = max(w.From.Sub(a.Now), 0), year
	if !w.To.IsZero() {
		to = w.To.Sub(a.Now)
	}
	return from, to
}

// charge takes what is free on a node when it is set aside.
func (a *asides) charge(f *future) {
	for i := range a.Nodes {
		for _, w := range a.Nodes[i].Windows {
			from, to := a.span(w)
			for _, b := range a.given[a.Nodes[i].Name] {
				n := b.Count
				if w.GPUs > 0 || w.CPUs > 0 {
					n = min(n, w.GPUs)
				}
				if n > 0 && b.at <= from && to > from && !w.Now {
					f.charge(b.Type, n, from, to-from)
				}
			}
		}
	}
}
