package actuator

import (
	"math"
	"slices"
)

// numberedPlace is the place of a job in the line, with its priority as the order is made
// from it: without its nice, which acts on top of our order as it does on Slurm's.
type numberedPlace struct {
	SlurmPriority           int64 // as Slurm alone would have it
	CurrentPriority         int64 // with what we added
	HighestPossiblePriority int64 // its priority if the highest number of ours stands that may; 0: no number is in doubt
	IsLongWaiting           bool  // has waited so long that it must not be lowered
	StartsNow               bool  // is to start now
}

// lowestPriority is the least priority we make: at 1 Slurm's own factors no longer show.
const lowestPriority int64 = 2

// assignPriorities returns the priorities of a group of jobs whose places are in the order
// of the line, none below floor. The first n, those within the window, share the
// priorities that Slurm gave the group, in our order; blended, they go a fifth of
// the way there. Those beyond have their own, as far as these do not pass the
// window's.
func assignPriorities(g []numberedPlace, n int, floor int64, blended bool) []int64 {
	s := newPriorityTargets(g, n, floor)
	ceiling := int64(1) << 62
	var values []int64
	if n > 0 && !blended {
		values = s.renumberLine(currentValues(g[:n]), floor)
		raiseAboveLongWaiting(values, g[:n])
		ceiling = values[n-1] - 1
	} else {
		values = s.blendPriorities(g[:n])
	}
	for i := range g[n:] {
		p := &g[n+i]
		v := min(p.SlurmPriority, ceiling)
		if p.SlurmPriority > ceiling && (p.IsLongWaiting || p.CurrentPriority <= ceiling && p.CurrentPriority >= ceiling-s.slack) {
			v = p.CurrentPriority
		}
		values = append(values, v)
	}
	return values
}

// blendPriorities moves priorities a fifth of the way to our order.
func (s *priorityTargets) blendPriorities(g []numberedPlace) []int64 {
	values := make([]int64, len(g))
	for i := range g {
		values[i] = g[i].CurrentPriority
		if v := g[i].SlurmPriority + (s.bestValues[i]-g[i].SlurmPriority)/5; abs(g[i].CurrentPriority-v) > s.slack/5+1 {
			values[i] = v
		}
	}
	return values
}

// directPriorityRatio is how many times the next lower priority of its group one must be
// to be taken for set directly. Slurm's factors of jobs of one QOS and tier
// differ by their weights; a priority that somebody sets is any number.
const directPriorityRatio = 16

// directPriorityThreshold returns the least of the priorities of a group that Slurm did not make
// itself, more than all others when it made all. The few that stand far above the
// rest were set by an administrator: they stay where they are, and are not handed
// out to others, who would be lifted to them.
func directPriorityThreshold(own []int64) int64 {
	own = slices.Clone(own)
	slices.Sort(own)
	for i := len(own)/2 + 1; i < len(own); i++ {
		if own[i]/directPriorityRatio > own[i-1] {
			return own[i]
		}
	}
	return math.MaxInt64
}

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
func newPriorityTargets(g []numberedPlace, n int, floor int64) priorityTargets {
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
func currentValues(line []numberedPlace) []int64 {
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
func raiseAboveLongWaiting(values []int64, line []numberedPlace) {
	for i := len(values) - 1; i >= 0; i-- {
		if line[i].IsLongWaiting {
			values[i] = max(values[i], line[i].CurrentPriority, line[i].HighestPossiblePriority)
		}
		if i+1 < len(values) {
			values[i] = max(values[i], values[i+1]+1)
		}
	}
}
