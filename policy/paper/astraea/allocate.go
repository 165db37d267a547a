package astraea

import (
	"cmp"
	"container/heap"
	"slices"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/engine"
)

// allocator is an engine.Allocator: jobs within their lease, then those that have
// a new one, then the others as they would be granted one next.
type allocator struct {
	*Policy
	deserved *deserved // as remembered; Allocate replaces it
}

// Allocate implements engine.Allocator.
func (a *allocator) Allocate(r *engine.Round) ([]engine.Assignment, error) {
	quota := quotaByAccount(r.Snapshot)
	now := a.deserved.next(r, quota)
	l := &leases{Policy: a.Policy, Round: r, lastRound: a.deserved.At, free: countFree(r.Snapshot)}
	l.addJobs(quota, now)
	l.keepWithinLease()
	l.serveTenants(l.grant)
	l.preemptDelayed()
	for _, t := range l.tenants {
		t.jobs, t.skippedJobs = append(t.skippedJobs, t.jobs...), nil
	}
	var waiting []*job
	l.serveTenants(func(j *job) bool {
		waiting = append(waiting, j)
		return true
	})
	a.deserved = now
	return l.newTurns(waiting), nil
}

// leases says which jobs have a lease in a round.
type leases struct {
	*Policy
	*engine.Round
	lastRound time.Time // the last round
	jobs      []*job    // that run or could start
	tenants   []*tenant // by name
	free      *freeDevices
	kept      []*job // within their lease
	granted   []*job // a new lease
}

// addJobs lists the jobs that run or could start, by tenant.
func (l *leases) addJobs(quota map[string]float64, deserved *deserved) {
	byName, ran := map[string]*tenant{}, newFinishedRunTimes(l.History)
	for i, e := range l.Entries {
		if !l.MayRun(e) {
			continue
		}
		t := byName[e.Account]
		if t == nil {
			t = l.newTenant(e.Account, quota[e.Account])
			byName[e.Account] = t
			l.tenants = append(l.tenants, t)
		}
		j := &job{Entry: e, tenant: t, lease: max(l.Lease, 20*e.CheckpointCost), isStarving: l.isStarving(l.Round, e)}
		j.fairness = discretise(ratio(float64(e.Attained), float64(deserved.Sums[i])), l.Levels)
		j.reward = ran.reward(j)
		l.jobs = append(l.jobs, j)
	}
	slices.SortFunc(l.tenants, func(a, b *tenant) int { return cmp.Compare(a.name, b.name) })
}

// isStarving reports whether the job could start and waited too long.
func (a *Policy) isStarving(r *engine.Round, e *engine.Entry) bool {
	return e.Waited(r.Now) >= a.Starve && r.MayRun(e) && r.CheckEverFits(e) == nil
}

// keepWithinLease lets jobs within their lease hold what they have, charged for the rest
// of the lease; the others compete.
func (l *leases) keepWithinLease() {
	starving := slices.ContainsFunc(l.jobs, func(j *job) bool { return j.isStarving })
	for _, j := range l.jobs {
		if j.HoldsGPUs() && !l.hasEnded(j, starving) {
			j.isGranted = true
			j.tenant.charge(j.gpus(), j.lease-j.Ran(l.Now)%j.lease)
			l.free.subtractHeld(l.Snapshot, j.Entry)
			l.kept = append(l.kept, j)
			continue
		}
		j.tenant.jobs = append(j.tenant.jobs, j)
	}
	slices.SortFunc(l.kept, func(a, b *job) int { return engine.CompareTenure(a.Entry, b.Entry) })
	for _, t := range l.tenants {
		slices.SortFunc(t.jobs, (*job).compare)
	}
}

// isUnstoppable reports whether a running job cannot be stopped whatever we decide.
func (l *leases) isUnstoppable(e *engine.Entry) bool {
	return e.UnstoppableReason != "" || e.State != policy.Running || l.MaxStops > 0 && e.StopCount >= l.MaxStops
}

// hasEnded reports whether a lease of the running job ended since the last round.
// While a job starves, leases that ended before count too: they were not
// renewed but for want of a job to give way to.
func (l *leases) hasEnded(j *job, starving bool) bool {
	if l.isUnstoppable(j.Entry) || !l.lastRound.Before(l.Now) {
		return false
	}
	ran := j.Ran(l.Now)
	if starving || l.lastRound.IsZero() {
		return ran >= j.lease
	}
	before := max(l.lastRound.Sub(j.Start), 0)
	return ran/j.lease > before/j.lease
}

// serveTenants takes the tenants in turn, each with its next job. A starving job that
// is not granted a lease ends it: what is free is kept for that job.
func (l *leases) serveTenants(grant func(*job) bool) {
	queue := slices.Clone(tenantHeap(l.tenants))
	heap.Init(&queue)
	for len(queue) > 0 {
		t := queue[0]
		if len(t.jobs) == 0 {
			heap.Pop(&queue)
			continue
		}
		j := t.jobs[0]
		t.jobs = t.jobs[1:]
		j.note = j.describe()
		if grant(j) {
			t.charge(j.gpus(), j.lease)
			heap.Fix(&queue, 0)
			continue
		}
		t.skippedJobs = append(t.skippedJobs, j)
		if j.isStarving {
			return
		}
	}
}

// grant gives the job a lease if there are devices for it.
func (l *leases) grant(j *job) bool {
	if !l.free.take(j.Entry) {
		return false
	}
	j.isGranted = true
	l.granted = append(l.granted, j)
	return true
}

// newTurns returns the turns of all jobs; those that cannot start are last, by arrival.
func (l *leases) newTurns(waiting []*job) []engine.Assignment {
	turns, served := make([]engine.Assignment, 0, len(l.Entries)), make([]bool, len(l.Entries))
	for _, j := range slices.Concat(l.kept, l.granted, waiting) {
		t := j.AssignmentWithoutLease()
		t.Grant.HasLease, t.Note = j.isGranted, j.note
		turns = append(turns, t)
		served[j.Index] = true
	}
	n := len(turns)
	for _, e := range l.Entries {
		if !served[e.Index] {
			turns = append(turns, e.AssignmentWithoutLease())
		}
	}
	slices.SortFunc(turns[n:], func(a, b engine.Assignment) int { return engine.CompareArrival(a.Entry, b.Entry) })
	return turns
}
