package gate

import (
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/invariant"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// checkStoppable says why the job may not be stopped (I1, I5, I6, I13, I15, I20, I26, I27). It is
// asked of every job that a plan stops, and again of every edit that stops or warns one.
func (f *facts) checkStoppable(p *policy.Job, beneficiary int64) *denial {
	j := f.View.Job(int64(p.ID))
	if j == nil {
		return deny(invariant.FreshView, "the view does not show it")
	}
	return firstDenial(
		func() *denial { return f.checkNotExempt(j) },
		func() *denial { return f.checkModeAllows(j, bridge.ModePreempt) },
		func() *denial { return checkRequeueable(p, j) },
		func() *denial { return f.checkCanRestart(p, 0) },
		func() *denial { return checkIdleStop(f, j, beneficiary) },
		func() *denial {
			if isRecall(f, p, beneficiary) {
				return nil
			}
			return f.checkMinimumRunTime(p, j)
		},
	)
}

// isRecall reports whether a stop calls back what a job has on which others have the better claim: it runs on what they
// leave, and the other does not.
func isRecall(f *facts, p *policy.Job, beneficiary int64) bool {
	to := f.snapshotJob(beneficiary)
	return f.Budgets.Recall > 0 && p.IsOpportunistic() && to != nil && !to.IsOpportunistic()
}

// checkModeAllows says why the modes of the job's partitions do not go as far as
// need. While only observing, plans are judged as if they did.
func (f *facts) checkModeAllows(j *slurm.Job, need bridge.Mode) *denial {
	m := f.weakestModeOfJob(j, f.ModeByPartition[f.Partition])
	if m == bridge.ModeObserve || m.Allows(need) {
		return nil
	}
	return deny(invariant.WithinMode, "partition %s is in mode %s", j.PartitionText(), m)
}

func checkRequeueable(p *policy.Job, j *slurm.Job) *denial {
	switch {
	case j.State != "RUNNING":
		return deny(invariant.RequeuedOnce, "it is %s, not running", j.State)
	case !j.IsBatch || !j.Requeue:
		return deny(invariant.RequeuedOnce, "Slurm may not requeue it (batch %v, requeue %v)", j.IsBatch, j.Requeue)
	case p.UnstoppableReason != "":
		return deny(invariant.RequeuedOnce, "%s", p.UnstoppableReason)
	case p.State != policy.Running:
		return deny(invariant.RequeuedOnce, "the snapshot shows it %s", p.State)
	}
	return nil
}

func (f *facts) checkMinimumRunTime(p *policy.Job, j *slurm.Job) *denial {
	c := &f.Budgets
	need := c.Quantum + p.CheckpointCost
	if j.Start.IsZero() {
		return deny(invariant.MinimumRun, "its start is not known")
	}
	if ran := f.clusterTime.Sub(j.Start); ran < need {
		return deny(invariant.MinimumRun, "it ran %v, at least %v are its own", ran.Round(time.Second), need)
	}
	for _, t := range f.RequeueTimesByJob[j.ID] {
		if f.clusterTime.Sub(t) < c.Cooldown {
			return deny(invariant.MinimumRun, "it was stopped %v ago, the least is %v", f.clusterTime.Sub(t).Round(time.Second), c.Cooldown)
		}
	}
	for _, s := range f.RecentStops {
		if s.Job == j.ID && f.clusterTime.Sub(s.DecidedAt) < c.Cooldown {
			return deny(invariant.MinimumRun, "it was stopped %v ago, the least is %v", f.clusterTime.Sub(s.DecidedAt).Round(time.Second), c.Cooldown)
		}
	}
	return nil
}

// stopPair is a job that was stopped, and for whom.
type stopPair struct{ stoppedJob, beneficiary int64 }

type stopPairs map[stopPair]bool

// checkPingPong says why the stop would pay back an earlier one (I9).
func (f *facts) checkPingPong(s bridge.Stop, displaced stopPairs) *denial {
	if s.Job == s.Beneficiary {
		return nil
	}
	if displaced[stopPair{s.Beneficiary, s.Job}] {
		return deny(invariant.NoPingPong, "job %s is stopped for it in the same plan", f.Snapshot.JobLabel(policy.JobID(s.Beneficiary)))
	}
	span := 2 * f.Budgets.Quantum
	for _, o := range f.RecentStops {
		if o.Job == s.Beneficiary && o.Beneficiary == s.Job && f.Snapshot.Now.Sub(o.DecidedAt) < span {
			return deny(invariant.NoPingPong, "job %s was stopped for it %s ago, the least is %s", f.Snapshot.JobLabel(policy.JobID(s.Beneficiary)), policy.FormatDuration(f.Snapshot.Now.Sub(o.DecidedAt)), policy.FormatDuration(span))
		}
	}
	return nil
}
