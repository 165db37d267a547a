package astraea

import (
	"cmp"
	"slices"
)

// preemptDelayJobs lets a tenant's new jobs that have no lease take the place of its
// own delay jobs: over-served ones that are young in their lease.
func (l *leases) preemptDelayJobs() {
	if !l.lastRoundTime.Before(l.Now) {
		return
	}
	delayed := map[*tenant][]*job{}
	for _, j := range l.keptJobs {
		if !l.isUnstoppable(j.Entry) && j.fairness > discretiseFairness(1, l.Levels) && j.Ran(l.Now)%j.leaseDuration < l.Delay {
			delayed[j.tenant] = append(delayed[j.tenant], j)
		}
	}
	for _, t := range l.tenants {
		slices.SortFunc(delayed[t], func(a, b *job) int {
			return cmp.Or(cmp.Compare(b.fairness, a.fairness), cmp.Compare(a.ID, b.ID))
		})
		l.replaceDelayJobs(t, delayed[t])
	}
	l.keptJobs = slices.DeleteFunc(l.keptJobs, func(j *job) bool { return !j.hasLease })
}

// replaceDelayJobs goes through the tenant's waiting new jobs and its delay jobs.
func (l *leases) replaceDelayJobs(t *tenant, delayed []*job) {
	all := append(t.skippedJobs, t.jobs...)
	t.skippedJobs, t.jobs = nil, nil
	for _, j := range all {
		n := 0
		if !j.HoldsGPUs() && j.FirstStart.IsZero() {
			n = countDelayJobs(j, delayed)
		}
		if n == 0 {
			t.jobs = append(t.jobs, j)
			continue
		}
		for _, d := range delayed[:n] {
			d.hasLease = false
			d.note = d.describe()
			t.jobs = append(t.jobs, d)
		}
		delayed = delayed[n:]
		j.hasLease = true
		l.grantedJobs = append(l.grantedJobs, j)
	}
}

// countDelayJobs returns how many of the delay jobs together hold what j asks; 0 when
// all do not.
func countDelayJobs(j *job, delayed []*job) int {
	devices := 0
	for i, d := range delayed {
		for _, slot := range d.On {
			if typ := j.Ask.GPUs.Type; typ == "" || typ == slot.Type {
				devices += slot.Count
			}
		}
		if devices >= j.Ask.GPUs.Count {
			return i + 1
		}
	}
	return 0
}
