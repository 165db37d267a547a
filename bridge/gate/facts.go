package gate

import (
	"cmp"
	"slices"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/actuator"
	"fairbridge/bridge/invariant"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// facts is a State with what is looked up often.
type facts struct {
	State
	clusterTime time.Time     // Slurm's clock
	jobIndex    map[int64]int // of the snapshot
	dependants  map[int64]int // jobs waiting for a job
}

func newFacts(s State) facts {
	f := facts{State: s, clusterTime: s.View.At, jobIndex: map[int64]int{}, dependants: map[int64]int{}}
	for i := range s.Snapshot.Jobs {
		f.jobIndex[int64(s.Snapshot.Jobs[i].ID)] = i
	}
	for i := range s.View.Jobs {
		j := &s.View.Jobs[i]
		if j.IsDone() {
			continue
		}
		for _, id := range j.Dependency.Jobs {
			f.dependants[id]++
		}
	}
	return f
}

// job returns the snapshot's job, or nil.
func (f *facts) job(id int64) *policy.Job {
	i, ok := f.jobIndex[id]
	if !ok {
		return nil
	}
	return &f.Snapshot.Jobs[i]
}

// weakestMode returns the weakest mode of the job's partitions; Off without one.
func (f *facts) weakestMode(j *slurm.Job, top bridge.Mode) bridge.Mode {
	if len(j.Partitions) == 0 {
		return bridge.Off
	}
	for _, p := range j.Partitions {
		if m, ok := f.Modes[p]; !ok {
			return bridge.Off
		} else if !m.Allows(top) {
			top = m
		}
	}
	return top
}

// isInPartition reports whether the job is this partition's business.
func (f *facts) isInPartition(j *slurm.Job) bool {
	for _, p := range j.Partitions {
		if _, ok := f.Modes[p]; ok {
			return p == f.Partition
		}
	}
	return false
}

// checkExempt says why nothing at all may be done to the job (I1, I15).
func (f *facts) checkExempt(j *slurm.Job) *denial {
	if n := checkTouchable(j); n != nil {
		return n
	}
	c := &f.Budgets
	switch {
	case j.Reservation != "":
		return deny(invariant.ExemptJobs, "it belongs to reservation %s", j.Reservation)
	case !f.isInPartition(j):
		return deny(invariant.ExemptJobs, "partition %s is not managed from here", j.Partition())
	case f.LeftAlone[j.User] != "":
		return deny(invariant.OnlyOurs, "%s", f.LeftAlone[j.User])
	case slices.Contains(c.ExemptUsers, j.User):
		return deny(invariant.ExemptJobs, "user %s is exempt", j.User)
	case slices.Contains(c.ExemptAccounts, j.Account):
		return deny(invariant.ExemptJobs, "account %s is exempt", j.Account)
	case slices.Contains(c.ExemptJobs, j.ID) || j.ArrayJob != 0 && slices.Contains(c.ExemptJobs, j.ArrayJob):
		return deny(invariant.ExemptJobs, "the job is exempt")
	}
	for _, p := range j.Partitions {
		if slices.Contains(c.ExemptPartitions, p) {
			return deny(invariant.ExemptJobs, "partition %s is exempt", p)
		}
	}
	return nil
}

// checkTouchable says why not even a value of ours may be taken back.
func checkTouchable(j *slurm.Job) *denial {
	switch {
	case j.Held || j.Priority == 0 && j.Pending():
		return deny(invariant.Held, "it is held (%s)", cmp.Or(j.Reason, "priority 0"))
	case j.Opaque != "":
		return deny(invariant.ExemptJobs, "its record cannot be read: %s", j.Opaque)
	case j.HetJob != 0:
		return deny(invariant.ExemptJobs, "it is part of heterogeneous job %d", j.HetJob)
	case j.Federation != "":
		return deny(invariant.ExemptJobs, "it is a federated job of %s", j.Federation)
	case j.Cron != "":
		return deny(invariant.ExemptJobs, "it is a scrontab job")
	case j.IsDone() || j.Flag("COMPLETING"):
		return deny(invariant.ExemptJobs, "it is ending or has ended")
	}
	return nil
}

// claimOf is what bounds are read from, without an edit.
func (f *facts) claimOf(p *policy.Job, j *slurm.Job) actuator.Claim {
	return actuator.Claim{
		Job: j, Planned: p, Now: f.clusterTime, Budgets: &f.Budgets, View: f.View, Partition: f.Partition, Expires: f.Expires,
		Leased: f.Leased[j.ID], Dependants: f.dependants[j.ID] + f.dependants[arrayID(j)],
	}
}

// arrayID returns the array's id where it is not the job's own, else 0.
func arrayID(j *slurm.Job) int64 {
	if j.ArrayJob == j.ID {
		return 0
	}
	return j.ArrayJob
}
