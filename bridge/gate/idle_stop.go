package gate

import (
	"time"

	"fairbridge/bridge/idle"
	"fairbridge/bridge/invariant"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// idleTime is for how long the GPUs of a job did no work, where it is stopped for that; 0: it is not.
func idleTime(f *facts, job, beneficiary int64) time.Duration {
	if x := f.IdleStop; x == nil || x.Job != job || x.For != beneficiary {
		return 0
	}
	return f.UseByJob[job].IdleFor
}

// checkIdleStop says why the job may not be stopped for that its GPUs do no work, where it would be (I26).
func checkIdleStop(f *facts, j *slurm.Job, beneficiary int64) *denial {
	if x := f.IdleStop; x == nil || x.Job != j.ID || x.For != beneficiary {
		return nil
	}
	to := f.snapshotJob(beneficiary)
	switch least := max(f.StopIdleAfter, f.Budgets.IdleMin); {
	case f.StopIdleAfter <= 0:
		return deny(invariant.IdleStops, "partition %s stops no job because its GPUs do no work", f.Partition)
	case !idle.Allows(&j.Directive):
		return deny(invariant.IdleStops, "its owner did not say fairbridge:idle=requeue")
	case idleTime(f, j.ID, beneficiary) < least:
		return deny(invariant.IdleStops, "all its GPUs were measured to do no work for %v, the least is %v", idleTime(f, j.ID, beneficiary).Round(time.Second), least)
	case to == nil || to.State != policy.Pending:
		return deny(invariant.IdleStops, "job %d does not wait for its GPUs", beneficiary)
	}
	return nil
}
