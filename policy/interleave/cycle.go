package interleave

import (
	"math"
	"slices"
)

// turnCount is how many turns of a cycle are followed, the first among them.
const turnCount = 2 * MaxJobs

// BestCycle returns the seconds of a cycle of the jobs in the order in which it is shortest, two
// of them also where each reads its input while the other computes and exchanges. There are
// one to MaxJobs of them.
func BestCycle(jobs []Stages) float64 {
	best := math.Inf(1)
	forEachOrder(slices.Clone(jobs), 0, func(order []Stages) { best = min(best, Cycle(order)) })
	if len(jobs) == 2 {
		best = min(best, besideInput(jobs[0], jobs[1])+besideInput(jobs[1], jobs[0]))
	}
	return best
}

// besideInput is how long a job reads its input while the other computes and exchanges.
func besideInput(j, other Stages) float64 { return max(j[0], other[1]+other[2]) }

// forEachOrder calls what it is given with each order of the jobs from the one at next on.
func forEachOrder(jobs []Stages, next int, try func([]Stages)) {
	if next == len(jobs) {
		try(jobs)
		return
	}
	for i := next; i < len(jobs); i++ {
		jobs[next], jobs[i] = jobs[i], jobs[next]
		forEachOrder(jobs, next+1, try)
		jobs[next], jobs[i] = jobs[i], jobs[next]
	}
}

// Cycle returns the seconds in which each of the jobs, taking turns in their order, advances one
// step: the time between a turn and the same turn of the next cycle, once that no longer changes.
// In every turn one job is on the network, the next on the GPU and the one after that at its
// input, for which it has the turn before as well.
func Cycle(order []Stages) float64 {
	var ends [turnCount + 1]float64
	for i := range turnCount {
		end := 0.0
		if a := (i + 1) % MaxJobs; a < len(order) {
			end = max(end, ends[i]+order[a][2])
		}
		if b := (i + 2) % MaxJobs; b < len(order) {
			end = max(end, ends[i]+order[b][1])
		}
		if c := (i + 3) % MaxJobs; c < len(order) && i > 0 {
			end = max(end, ends[i-1]+order[c][0])
		}
		ends[i+1] = end
		if i < MaxJobs {
			continue
		}
		cycle, before := end-ends[i+1-MaxJobs], ends[i]-ends[i-MaxJobs]
		if math.Abs(cycle-before) <= 1e-3*max(cycle, before) && cycle != 0 {
			return cycle
		}
	}
	return ends[turnCount] - ends[turnCount-MaxJobs]
}
