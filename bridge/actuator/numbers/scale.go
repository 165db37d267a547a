package numbers

import (
	"math"
)

// priorityTargets says which priorities a group gets, and how exactly.
type priorityTargets struct {
	bestValues []int64 // best values for the places of the window
	minGap     int64   // least distance of two of them
	slack      int64   // how far a present value may be off
}

// The margin of a group's numbers beyond the priorities Slurm gave it: half of
// their spread, or a part of the highest where they hardly differ.
const (
	marginSpreadDivisor  = 2
	marginHighestDivisor = 16
)

// newPriorityTargets makes the targets for the first n places of a group. The numbers stay
// small against the site's own: a job that comes when we are gone takes the place
// among the group that Slurm gives, and those of another QOS theirs before or
// behind it.
func newPriorityTargets(g []Place, n int, floor int64) priorityTargets {
	own := make([]int64, len(g))
	lo, hi := int64(1<<62), int64(0)
	for i := range g {
		own[i] = g[i].SlurmPriority
		lo, hi = min(lo, own[i]), max(hi, own[i])
	}
	reach := max((hi-lo)/marginSpreadDivisor, hi/marginHighestDivisor)
	s := priorityTargets{minGap: max(1, reach/int64(len(g)))}
	s.bestValues = spaceHighestPriorities(own, n, s.minGap, floor)
	s.slack = max(2, s.minGap)
	if n > 0 {
		s.slack = max(s.slack, (s.bestValues[0]-s.bestValues[n-1])/2)
	}
	return s
}

// currentValues returns the present values of a line. What starts now and is not above
// all that waits counts as far below: jobs that start are raised rather than
// those that wait lowered, which would be one edit for each and is not allowed
// of jobs that waited very long.
func currentValues(line []Place) []int64 {
	top := int64(0)
	for i := range line {
		if !line[i].StartsNow {
			top = max(top, line[i].CurrentPriority)
		}
	}
	now := make([]int64, len(line))
	for i := range line {
		if now[i] = line[i].CurrentPriority; line[i].StartsNow && now[i] <= top {
			now[i] = math.MinInt64 / 4
		}
	}
	return now
}

// raiseAboveLongWaiting keeps jobs that have waited very long from being lowered, which the gate
// would refuse: those ahead of them rise above them instead.
func raiseAboveLongWaiting(values []int64, line []Place) {
	for i := len(values) - 1; i >= 0; i-- {
		if line[i].IsLongWaiting {
			values[i] = max(values[i], line[i].CurrentPriority, line[i].HighestPossiblePriority)
		}
		if i+1 < len(values) {
			values[i] = max(values[i], values[i+1]+1)
		}
	}
}
