package gate

import (
	"slices"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/actuator/replicas"
	"fairbridge/bridge/invariant"
	"fairbridge/policy"
)

// stopBudget counts stops against I7, and warnings that no stop came of. It grows only by add.
type stopBudget struct {
	facts          *facts
	gpusInUse      float64 // whole GPUs running jobs of the snapshot hold
	allGPUs        float64 // whole GPUs there are
	countedStops   []bridge.Stop
	unusedWarnings []SentWarning // that no stop came of: each is counted as one, but for its own job
}

func newStopBudget(f *facts) *stopBudget {
	b := &stopBudget{facts: f, allGPUs: f.Snapshot.WholeGPUs(), countedStops: slices.Clone(f.RecentStops)}
	for _, w := range f.RecentWarnings {
		if !slices.ContainsFunc(b.countedStops, func(s bridge.Stop) bool { return s.Job == w.Run.Job && !s.DecidedAt.Before(w.DecidedAt) }) {
			b.unusedWarnings = append(b.unusedWarnings, w)
		}
	}
	for i := range f.Snapshot.Jobs {
		if j := &f.Snapshot.Jobs[i]; j.HoldsGPUs() {
			b.gpusInUse += heldGPUs(j)
		}
	}
	return b
}

// newStop describes the stop of a job.
func (f *facts) newStop(p *policy.Job, beneficiary int64) bridge.Stop {
	var recall time.Duration
	if isRecall(f, p, beneficiary) {
		recall = f.Budgets.Recall
	}
	return bridge.Stop{Job: int64(p.ID), DecidedAt: f.Snapshot.Now, StopCost: bridge.StopCost{
		Recall: recall, User: p.User, Account: p.Account, GPUs: heldGPUs(p),
		Lost: policy.ServiceForTime(heldGPUs(p), f.restartTimeLost(p)), Beneficiary: beneficiary, Idle: idleTime(f, int64(p.ID), beneficiary),
	}}
}

// restartTimeLost is the time a stop of the job loses on all its GPUs.
func (f *facts) restartTimeLost(p *policy.Job) time.Duration {
	if p.CheckpointCost > 0 {
		return p.CheckpointCost
	}
	return f.Budgets.RestartCost
}

// stopTotals is what stops since some moment add up to.
type stopTotals struct {
	stopCount, jobStopCount, userStopCount, accountStopCount int
	gpuCount                                                 float64
	lostWork                                                 policy.GPUSeconds
}

func (b *stopBudget) totalsSince(t time.Time, s bridge.Stop) stopTotals {
	var n stopTotals
	for _, o := range b.countedStops {
		if o.DecidedAt.Before(t) || o.Recall > 0 {
			continue
		}
		n.stopCount++
		n.gpuCount += o.GPUs
		n.lostWork += o.Lost
		n.jobStopCount += oneIf(o.Job == s.Job)
		n.userStopCount += oneIf(o.User == s.User)
		n.accountStopCount += oneIf(o.Account == s.Account)
	}
	for i := range b.unusedWarnings {
		w := &b.unusedWarnings[i]
		if w.DecidedAt.Before(t) || w.Recall > 0 || w.Run.Job == s.Job && b.facts.isWarningValid(w) {
			continue
		}
		n.stopCount++
		n.gpuCount += w.GPUs
		n.userStopCount += oneIf(w.User == s.User)
		n.accountStopCount += oneIf(w.Account == s.Account)
	}
	return n
}

func oneIf(b bool) int {
	if b {
		return 1
	}
	return 0
}

// checkStop says why the stop would break a budget, or leave a service too few replicas (I25).
func (b *stopBudget) checkStop(s bridge.Stop) *denial {
	if n := replicas.CheckStop(b.facts.Snapshot, b.facts.snapshotJob(s.Job), b.isStopped); n != nil {
		return n
	}
	c, now := &b.facts.Budgets, b.facts.Snapshot.Now
	hour, day := b.totalsSince(now.Add(-time.Hour), s), b.totalsSince(now.Add(-24*time.Hour), s)
	cycle := b.totalsSince(now, s)
	inADay, inAnHour := b.gpusInUse*24*3600*c.LostPercent24h/100, b.gpusInUse*3600*c.LostPercent1h/100
	switch {
	case s.Recall > 0: // its owner said so, and another's budget is not spent on it
		return nil
	case hour.userStopCount >= c.UserStops1h:
		return deny(invariant.StopBudget, "jobs of user %s were stopped %s this hour, the most is %d", s.User, policy.FormatCount(hour.userStopCount, "time"), c.UserStops1h)
	case hour.accountStopCount >= c.AccountStops1h:
		return deny(invariant.StopBudget, "jobs of account %s were stopped %s this hour, the most is %d", s.Account, policy.FormatCount(hour.accountStopCount, "time"), c.AccountStops1h)
	case cycle.stopCount >= c.PlanStopFloor && (cycle.gpuCount+s.GPUs)*100 > c.PlanStopPercent*b.allGPUs:
		return deny(invariant.StopBudget, "%g GPUs on top of %g are over %g%% of the %g there are, more than one plan may empty", s.GPUs, cycle.gpuCount, c.PlanStopPercent, b.allGPUs)
	case !b.isWithinGPUShare(cycle, s, c.StopPercent, c.StopFloor):
		return deny(invariant.StopBudget, "%g GPUs on top of %g are more than %g of %g in this interval", s.GPUs, cycle.gpuCount, b.stoppableGPUs(c.StopPercent), b.gpusInUse)
	case !b.isWithinGPUShare(hour, s, c.StopPercent1h, c.StopFloor1h):
		return deny(invariant.StopBudget, "%g GPUs on top of %g are more than %g of %g in this hour", s.GPUs, hour.gpuCount, b.stoppableGPUs(c.StopPercent1h), b.gpusInUse)
	case hour.stopCount >= c.StopFloor1h && float64(hour.lostWork+s.Lost) > inAnHour:
		return deny(invariant.StopBudget, "%v of work would be lost in an hour, the most is %v", hour.lostWork+s.Lost, policy.GPUSeconds(inAnHour))
	case float64(day.lostWork+s.Lost) > inADay:
		return deny(invariant.StopBudget, "%v of work would be lost in 24 hours, the most is %v", day.lostWork+s.Lost, policy.GPUSeconds(inADay))
	}
	return b.checkJobStops(s)
}

// isWithinGPUShare reports whether the stop is within what may be stopped of the GPUs in use or
// among the few jobs that always go.
func (b *stopBudget) isWithinGPUShare(n stopTotals, s bridge.Stop, percent float64, floor int) bool {
	return n.stopCount < floor || n.gpuCount+s.GPUs <= b.stoppableGPUs(percent)
}

// stoppableGPUs is how many GPUs the percentage is: of those in use, or of a small cluster's as
// many as if it were not, within a part of its own.
func (b *stopBudget) stoppableGPUs(percent float64) float64 {
	c := &b.facts.Budgets
	return max(percent*b.gpusInUse, min(percent*c.SmallClusterGPUs, c.SmallStopPercent*b.gpusInUse)) / 100
}

// checkJobStops counts a job's own stops, from history and from the recent stops,
// whichever knows more.
func (b *stopBudget) checkJobStops(s bridge.Stop) *denial {
	c, now := &b.facts.Budgets, b.facts.Snapshot.Now
	times := slices.Clone(b.facts.RequeueTimesByJob[s.Job])
	recent := func(d time.Duration) int {
		n := 0
		for _, t := range times {
			n += oneIf(t.After(now.Add(-d)))
		}
		return max(n, b.totalsSince(now.Add(-d), s).jobStopCount)
	}
	switch {
	case recent(4*time.Hour) >= c.JobStops4h:
		return deny(invariant.StopBudget, "it was stopped %s in 4 hours, the most is %d", policy.FormatCount(recent(4*time.Hour), "time"), c.JobStops4h)
	case recent(24*time.Hour) >= c.JobStops24h:
		return deny(invariant.StopBudget, "it was stopped %s in 24 hours, the most is %d", policy.FormatCount(recent(24*time.Hour), "time"), c.JobStops24h)
	case hasManyIn24Hours(times, c.JobStops24h):
		return deny(invariant.StopBudget, "it was once stopped %s in 24 hours and is exempt for good", policy.FormatCount(c.JobStops24h, "time"))
	}
	return nil
}

// hasManyIn24Hours reports whether some 24 hours contain n of the times.
func hasManyIn24Hours(times []time.Time, n int) bool {
	slices.SortFunc(times, time.Time.Compare)
	for i := n - 1; n > 0 && i < len(times); i++ {
		if times[i].Sub(times[i-n+1]) < 24*time.Hour {
			return true
		}
	}
	return false
}

// isStopped reports whether a stop is counted of the run that the job is in.
func (b *stopBudget) isStopped(id policy.JobID) bool {
	start := b.facts.snapshotJob(int64(id)).Start
	return slices.ContainsFunc(b.countedStops, func(s bridge.Stop) bool { return s.Job == int64(id) && s.DecidedAt.After(start) })
}

// addStop counts a stop, in place of the warning before it.
func (b *stopBudget) addStop(s bridge.Stop) {
	b.countedStops = append(b.countedStops, s)
	b.unusedWarnings = slices.DeleteFunc(slices.Clone(b.unusedWarnings), func(w SentWarning) bool { return w.Run.Job == s.Job })
}
