package backfill

import (
	"time"

	"fairbridge/policy"
)

// asides is what nodes that are set aside for a time mean for numbers of GPUs:
// what is free on them when that begins is not free meanwhile, and what comes
// back meanwhile comes back at its end.
type asides struct {
	*policy.Round
	given map[string][]back // by node with windows
}

// back is devices of a node that come free.
type back struct {
	policy.Slot
	at time.Duration
}

func newAsides(r *policy.Round) *asides {
	a := &asides{r, map[string][]back{}}
	for i := range r.Nodes {
		if n := &r.Nodes[i]; len(n.Windows) > 0 && n.Down == "" {
			a.given[n.Name] = nil
			for _, d := range n.GPUs {
				a.given[n.Name] = append(a.given[n.Name], back{policy.Slot{Node: n.Name, Type: d.Type, Count: r.Free.Free(n.Name, d.Type)}, 0})
			}
		}
	}
	return a
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
				if n > 0 && b.at <= from && to > from {
					f.charge(b.Type, n, from, to-from)
				}
			}
		}
	}
}
