package numbers

// Place is the place of a job in the line, with its priority as the order is made
// from it: without its nice, which acts on top of our order as it does on Slurm's.
type Place struct {
	SlurmPriority           int64 // as Slurm alone would have it
	CurrentPriority         int64 // with what we added
	HighestPossiblePriority int64 // its priority if the highest number of ours stands that may; 0: no number is in doubt
	IsLongWaiting           bool  // has waited so long that it must not be lowered
	StartsNow               bool  // is to start now
}

// LowestPriority is the least priority we make: at 1 Slurm's own factors no longer show.
const LowestPriority int64 = 2

// AssignPriorities returns the priorities of a group of jobs whose places are in the order
// of the line, none below floor. The first n, those within the window, share the
// priorities that Slurm gave the group, in our order; blended, they go a fifth of
// the way there. Those beyond have their own, as far as these do not pass the
// window's.
func AssignPriorities(g []Place, n int, floor int64, blended bool) []int64 {
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
func (s *priorityTargets) blendPriorities(g []Place) []int64 {
	values := make([]int64, len(g))
	for i := range g {
		values[i] = g[i].CurrentPriority
		if v := g[i].SlurmPriority + (s.bestValues[i]-g[i].SlurmPriority)/5; abs(g[i].CurrentPriority-v) > s.slack/5+1 {
			values[i] = v
		}
	}
	return values
}
