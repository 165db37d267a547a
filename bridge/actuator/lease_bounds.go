package actuator

import (
	"cmp"
	"slices"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/actuator/replicas"
	"fairbridge/bridge/invariant"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// checkLease checks a lease (I4, I15, I16).
func checkLease(c *EditContext) *invariant.Denial {
	length := c.Until.Sub(c.Now)
	switch b := c.Budgets; {
	case length < b.LeaseMin || length > b.LeaseMax:
		return invariant.LeaseLimits.Deny("it would last %v, not between %v and %v", length.Round(time.Second), b.LeaseMin, b.LeaseMax)
	case c.Until.Nanosecond() != 0:
		return invariant.LeaseLimits.Deny("Slurm keeps whole seconds: the lease could not be told from another's begin time")
	case c.Until.Before(c.ownerBeginTime()):
		return invariant.LeaseLimits.Deny("its owner's own begin time, %s, is later", formatTime(c.ownerBeginTime()))
	case c.LeasedTime+length > b.LeaseTotal && !replicas.MayBeLeasedLong(c.Snapshot, c.SnapshotJob):
		return invariant.LeaseLimits.Deny("with %v before it would be leased longer than %v altogether", c.LeasedTime, b.LeaseTotal)
	}
	return cmp.Or(c.CheckDelay(c.Until), replicas.CheckLease(c.Snapshot, c.SnapshotJob, c.isKeptBack))
}

// isKeptBack reports whether a job of the cycle is stopped or leased, or was and may be still.
func (c *EditContext) isKeptBack(id policy.JobID) bool {
	for _, e := range slices.Concat(c.EditsBefore, c.EditsElsewhere) {
		if e.Run.Job == int64(id) && (e.Kind == slurm.EditRequeue || e.Kind == slurm.EditWarn || e.Kind == slurm.EditLease) {
			return true
		}
	}
	j := c.View.Job(int64(id))
	if j == nil || c.IntentBook == nil || c.OpenIntent == nil {
		return true
	}
	stands := c.IntentBook.StandingIntent(j.CurrentRun(), slurm.FieldBeginTime, c.Now)
	return j.IsPending() && (stands != nil || c.OpenIntent(int64(id), slurm.FieldBeginTime) != nil)
}

// checkUnlease checks the end of a lease: now, or what the owner wanted (I3).
func checkUnlease(c *EditContext) *invariant.Denial {
	want := c.Now
	if own := c.ownerBeginTime(); own.After(want) {
		want = own
	} else if c.Until.Before(want) && want.Sub(c.Until) <= time.Minute {
		return nil // a past begin time is now to Slurm
	}
	if !c.Until.Equal(want) {
		return invariant.OnlyOurValues.Deny("the lease would end at %s, should at %s", formatTime(c.Until), formatTime(want))
	}
	return nil
}

// ownerBeginTime returns the begin time the owner wanted.
func (c *EditContext) ownerBeginTime() time.Time {
	if c.StandingIntent != nil {
		return c.StandingIntent.Before.Begin
	}
	return c.SlurmJob.EligibleTime
}

// CheckDelay says why the job must not be kept from starting until the given
// moment (I4, I15, I16).
func (c *EditContext) CheckDelay(until time.Time) *invariant.Denial {
	b, p, j := c.Budgets, c.SnapshotJob, c.SlurmJob
	isBounded := !replicas.MayBeLeasedLong(c.Snapshot, p)
	switch {
	case !j.IsBatch:
		return invariant.ExemptJobs.Deny("it is interactive: somebody is waiting for it")
	case isBounded && p.Waited(c.Now) > b.MaxPending:
		return invariant.LongWait.Deny("it has waited %v, longer than %v", p.Waited(c.Now).Round(time.Second), b.MaxPending)
	case isBounded && c.LeasedTime >= b.LeaseTotal:
		return invariant.LeaseLimits.Deny("it was leased for %v altogether, the most is %v", c.LeasedTime, b.LeaseTotal)
	case c.DependantCount > b.MaxDependants:
		return invariant.ExemptJobs.Deny("%d jobs wait for it, more than %d", c.DependantCount, b.MaxDependants)
	}
	for _, d := range []time.Time{p.Deadline, j.Deadline} {
		if !d.IsZero() && until.Add(b.DeadlineMargin).After(d.Add(-max(p.Limit, j.TimeLimit))) {
			return invariant.ExemptJobs.Deny("its deadline %s is too near for a lease", formatTime(d))
		}
	}
	return nil
}

// LeasedTimeByJob returns how long each job was leased altogether, by the begin times
// of ours that reached Slurm. One that was found there, because a task inherited it or slurmctld
// was started with an older state, counts since it was found.
func LeasedTimeByJob(intents []bridge.Intent, now time.Time) map[int64]time.Duration {
	total := map[int64]time.Duration{}
	last := map[int64]*bridge.Intent{}
	end := func(in *bridge.Intent, at time.Time) {
		if in != nil && in.Edit.Kind == slurm.EditLease {
			if in.Edit.Until.Before(at) {
				at = in.Edit.Until
			}
			total[in.Edit.Run.Job] += max(at.Sub(in.LastTouched()), 0)
		}
	}
	for i := range intents { // by ID, so in the order they were sent
		in := &intents[i]
		if in.Edit.Kind.Field() != slurm.FieldBeginTime || !in.StoodInSlurm() {
			continue
		}
		end(last[in.Edit.Run.Job], in.LastTouched())
		last[in.Edit.Run.Job] = in
	}
	for _, in := range last {
		end(in, now)
	}
	return total
}
