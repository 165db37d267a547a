package estimate

import (
	"slices"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/pool"
)

// reservation is what Slurm's backfill keeps for a job that has no room: whole nodes, from when
// they come free by the limits of the jobs on them.
type reservation struct {
	from, to time.Duration
	nodes    []string
	of       *modelJob
}

// maxReservations is for how many jobs places are kept in one pass. Slurm keeps one for each; those
// far back in the line change little, and cost as much.
const maxReservations = 4

// findRoom returns where a task can start now and be out of the way of what is reserved; nil:
// nowhere.
func (f *future) findRoom(w *modelJob, reserved []reservation) policy.Alloc {
	ask, length := w.ask, latestEnd(0, w.ask.Limit)
	if f.free.TotalFree(ask.GPUs.Type) < ask.GPUs.Count || length >= f.blockedLimits[w.room] {
		return nil
	}
	ask.ExcludedNodes = reservedNodes(reserved, &ask, f.at, f.at+length)
	on, err := pool.Fit(f.free, w.Partition, ask)
	if err != nil {
		f.blockedLimits[w.room] = length // free room only shrinks in a pass, and so it does with a longer limit
		return nil
	}
	return on
}

// reservedNodes returns the nodes that the ask excludes or that are reserved between two moments.
func reservedNodes(reserved []reservation, a *policy.Ask, from, to time.Duration) []string {
	out := a.ExcludedNodes
	for i := range reserved {
		if r := &reserved[i]; to > r.from && from < r.to {
			out = slices.Concat(out, r.nodes)
		}
	}
	return out
}

// reserve keeps a place for a job that has no room, where one is to come.
func (f *future) reserve(w *modelJob) {
	if len(f.reservations) == maxReservations {
		return
	}
	ask := w.ask
	for i := range f.reservations {
		ask.ExcludedNodes = slices.Concat(ask.ExcludedNodes, f.reservations[i].nodes)
	}
	mark := f.free.UndoMark()
	defer f.free.Rewind(mark)
	enough := f.countEndsUntilFit(w, ask)
	if enough < 0 {
		return
	}
	f.free.Rewind(mark)
	f.giveBack(f.byLimit[:enough])
	on, err := pool.Fit(f.free, w.Partition, ask)
	if err != nil {
		return
	}
	from := f.at
	if enough > 0 {
		from = f.byLimit[enough-1].limitEnd
	}
	f.reservations = append(f.reservations, reservation{from, latestEnd(from, w.ask.Limit), on.Nodes(), w})
}

// countEndsUntilFit returns after how many ends of jobs, at their limits, the ask fits; -1: never. What it
// gives back is rewound by the caller.
func (f *future) countEndsUntilFit(w *modelJob, ask policy.Ask) int {
	tooFew, step := 0, firstEnds
	if f.free.Fits(w.Partition, ask) {
		return 0
	}
	for tooFew < len(f.byLimit) {
		enough, mark := min(tooFew+step, len(f.byLimit)), f.free.UndoMark()
		f.giveBack(f.byLimit[tooFew:enough])
		if f.free.Fits(w.Partition, ask) {
			f.free.Rewind(mark)
			return f.narrowEnds(w, ask, tooFew, enough)
		}
		tooFew, step = enough, 2*step
	}
	return -1
}

// narrowEnds returns how many ends are just enough, between so many that are too few, which were given
// back, and so many that are enough.
func (f *future) narrowEnds(w *modelJob, ask policy.Ask, tooFew, enough int) int {
	for enough-tooFew > 1 {
		mid, mark := (tooFew+enough)/2, f.free.UndoMark()
		f.giveBack(f.byLimit[tooFew:mid])
		if f.free.Fits(w.Partition, ask) {
			f.free.Rewind(mark)
			enough = mid
		} else {
			tooFew = mid
		}
	}
	return enough
}

// firstEnds is how many ends of jobs are tried together at first.
const firstEnds = 4
