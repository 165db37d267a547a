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
}

// maxReservations is for how many jobs places are kept in one pass. Slurm keeps one for each; those
// far back in the line change little, and cost as much.
const maxReservations = 4

// findRoom returns where a task can start now and be out of the way of what is reserved; nil:
// nowhere.
func (f *future) findRoom(w *waitingJob) policy.Alloc {
	ask := w.ask
	if f.free.TotalFree(ask.GPUs.Type) < ask.GPUs.Count {
		return nil
	}
	ask.ExcludedNodes = f.reservedNodes(&ask, f.at, latestEnd(f.at, ask.Limit))
	on, err := pool.Fit(f.free, w.Partition, ask)
	if err != nil {
		return nil
	}
	return on
}

// reservedNodes returns the nodes that the ask excludes or that are reserved between two moments.
func (f *future) reservedNodes(a *policy.Ask, from, to time.Duration) []string {
	out := a.ExcludedNodes
	for i := range f.reservations {
		if r := &f.reservations[i]; to > r.from && from < r.to {
			out = slices.Concat(out, r.nodes)
		}
	}
	return out
}

// reserve keeps a place for a job that has no room, where one is to come.
func (f *future) reserve(w *waitingJob) {
	if len(f.reservations) == maxReservations {
		return
	}
	ask := w.ask
	for i := range f.reservations {
		ask.ExcludedNodes = slices.Concat(ask.ExcludedNodes, f.reservations[i].nodes)
	}
	mark := f.free.UndoMark()
	defer f.free.Rewind(mark)
	enough := f.countEndsUntilFit(w, ask, mark)
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
	f.reservations = append(f.reservations, reservation{from, latestEnd(from, w.ask.Limit), on.Nodes()})
}

// countEndsUntilFit returns after how many ends of jobs, at their limits, the ask fits; -1: never. What it
// gives back is rewound to the mark by the caller.
func (f *future) countEndsUntilFit(w *waitingJob, ask policy.Ask, mark int) int {
	lo, hi := 0, 0
	for !f.free.Fits(w.Partition, ask) {
		if hi == len(f.byLimit) {
			return -1
		}
		lo, hi = hi+1, min(2*hi+firstEnds, len(f.byLimit))
		f.giveBack(f.byLimit[lo-1 : hi])
	}
	for lo < hi {
		mid := (lo + hi) / 2
		f.free.Rewind(mark)
		f.giveBack(f.byLimit[:mid])
		if f.free.Fits(w.Partition, ask) {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return hi
}

// firstEnds is how many ends of jobs are tried together at first.
const firstEnds = 4
