package sim

import (
	"fmt"
	"slices"
	"time"
)

// reserve finds the earliest moment at which the job fits for its whole limit
// and takes the place: it starts the job if that is now, else later jobs must
// plan around it. It reports whether a place was found.
func (w *World) reserve(f *future, e entry) bool {
	j := e.j
	list, ok := candidates(j, e.p)
	if !ok || len(list) == 0 {
		return false
	}
	a, length := j.ask(), j.length()
	var at time.Time
	free := func(n *node) room { return f.nodes[n.index].least(at, at.Add(length)) }
	key := shape{a, length, e.p, fmt.Sprint(j.spec.Features, j.spec.Required, j.spec.Excluded)}
	last := w.now.Add(w.cfg.BackfillWindow)
	for i := f.tried[key]; i < len(f.times) && !f.times[i].After(last); i++ {
		at = f.times[i]
		slots := a.fit(list, free)
		if slots == nil {
			f.tried[key] = i + 1
			continue
		}
		f.book(slots, at, at.Add(length))
		if i == 0 {
			w.start(j, e.p, slots, "backfill")
			return true
		}
		w.promise(j, at, slots)
		return !j.unsplit() // one reservation stands for the array
	}
	f.tried[key] = len(f.times)
	return false
}

// promise notes the planned start for people to see.
func (w *World) promise(j *job, at time.Time, slots []slot) {
	if !j.expect.IsZero() && j.expect.Before(at) {
		return
	}
	j.expect, j.planned = at, nil
	for _, s := range slots {
		j.planned = append(j.planned, s.n.Name)
	}
	if j.reason == "None" {
		j.reason = "Resources"
	}
}

// book takes the slots out of the future.
func (f *future) book(slots []slot, from, to time.Time) {
	for _, s := range slots {
		f.nodes[s.n.index].change(s, -1, from, to)
	}
	if i, ok := slices.BinarySearchFunc(f.times, to, time.Time.Compare); !ok {
		f.times = slices.Insert(f.times, i, to)
	}
}
