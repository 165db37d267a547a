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
	deservedService *deservedService // as remembered; Allocate replaces it
}

// Allocate implements engine.Allocator.
func (a *allocator) Allocate(r *engine.Round) ([]engine.Assignment, error) {
	quota := quotaByAccount(r.Snapshot)
	now := a.deservedService.update(r, quota)
	l := &leases{Policy: a.Policy, Round: r, lastRoundTime: a.deservedService.At, freeDevices: countFreeDevices(r.Snapshot)}
	l.addJobs(quota, now)
	l.keepLeasedJobs()
	l.serveTenants(l.grantLease)
	l.preemptDelayJobs()
	for _, t := range l.tenants {
		t.jobs, t.skippedJobs = append(t.skippedJobs, t.jobs...), nil
	}
	var waiting []*job
	l.serveTenants(func(j *job) bool {
		waiting = append(waiting, j)
		return true
	})
	a.deservedService = now
	return l.newAssignments(waiting), nil
}

// leases says which jobs have a lease in a round.
type leases struct {
	*Policy
	*engine.Round
	lastRoundTime time.Time // the last round
	jobs          []*job    // that run or could start
	tenants       []*tenant // by name
	freeDevices   *freeDevices
	keptJobs      []*job // within their lease
	grantedJobs   []*job // a new lease
}

// addJobs lists the jobs that run or could start, by tenant.
func (l *leases) addJobs(quota map[string]float64, deserved *deservedService) {
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
		j := &job{Entry: e, tenant: t, leaseDuration: max(l.Lease, 20*e.CheckpointCost), isStarving: l.isStarving(l.Round, e)}
		j.fairness = discretiseFairness(ratio(float64(e.Attained), float64(deserved.Deserved[i])), l.Levels)
		j.reward = ran.negatedEndChance(j)
		l.jobs = append(l.jobs, j)
	}
	slices.SortFunc(l.tenants, func(a, b *tenant) int { return cmp.Compare(a.name, b.name) })
}

// isStarving reports whether the job could start and waited too long.
func (a *Policy) isStarving(r *engine.Round, e *engine.Entry) bool {
	return e.Waited(r.Now) >= a.StarveAfter && r.MayRun(e) && r.CheckEverFits(e) == nil
}

// keepLeasedJobs lets jobs within their lease hold what they have, charged for the rest
// of the lease; the others compete.
func (l *leases) keepLeasedJobs() {
	starving := slices.ContainsFunc(l.jobs, func(j *job) bool { return j.isStarving })
	for _, j := range l.jobs {
		if j.HoldsGPUs() && !l.hasLeaseEnded(j, starving) {
			j.hasLease = true
			j.tenant.chargeLease(j.wholeGPUs(), j.leaseDuration-j.Ran(l.Now)%j.leaseDuration)
			l.freeDevices.subtractHeld(l.Snapshot, j.Entry)
			l.keptJobs = append(l.keptJobs, j)
			continue
		}
		j.tenant.jobs = append(j.tenant.jobs, j)
	}
	slices.SortFunc(l.keptJobs, func(a, b *job) int { return engine.CompareTenure(a.Entry, b.Entry) })
	for _, t := range l.tenants {
		slices.SortFunc(t.jobs, (*job).compare)
	}
}

// isUnstoppable reports whether a running job cannot be stopped whatever we decide.
func (l *leases) isUnstoppable(e *engine.Entry) bool {
	return e.UnstoppableReason != "" || e.State != policy.Running || l.MaxStops > 0 && e.StopCount >= l.MaxStops
}

// hasLeaseEnded reports whether a lease of the running job ended since the last round.
// While a job starves, leases that ended before count too: they were not
// renewed but for want of a job to give way to.
func (l *leases) hasLeaseEnded(j *job, starving bool) bool {
	if l.isUnstoppable(j.Entry) || !l.lastRoundTime.Before(l.Now) {
		return false
	}
	ran := j.Ran(l.Now)
	if starving || l.lastRoundTime.IsZero() {
		return ran >= j.leaseDuration
	}
	before := max(l.lastRoundTime.Sub(j.Start), 0)
	return ran/j.leaseDuration > before/j.leaseDuration
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
			t.chargeLease(j.wholeGPUs(), j.leaseDuration)
			heap.Fix(&queue, 0)
			continue
		}
		t.skippedJobs = append(t.skippedJobs, j)
		if j.isStarving {
			return
		}
	}
}

// grantLease gives the job a lease if there are devices for it.
func (l *leases) grantLease(j *job) bool {
	if !l.freeDevices.take(j.Entry) {
		return false
	}
	j.hasLease = true
	l.grantedJobs = append(l.grantedJobs, j)
	return true
}

// newAssignments returns one for each job; those that cannot start are last, by arrival.
func (l *leases) newAssignments(waiting []*job) []engine.Assignment {
	turns, served := make([]engine.Assignment, 0, len(l.Entries)), make([]bool, len(l.Entries))
	for _, j := range slices.Concat(l.keptJobs, l.grantedJobs, waiting) {
		t := j.AssignmentWithoutLease()
		t.Grant.HasLease, t.Note = j.hasLease, j.note
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
