package intake

import (
	"fairbridge/bridge/restart"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// closedReason says that every partition of a waiting job is closed; "" when one is not, or is
// not listed. Slurm gives that as the job's reason only after its next pass.
func (a *snapshotAssembler) closedReason(j *slurm.Job) (why string) {
	for _, name := range j.Partitions {
		p := a.View.Partition(name)
		if p == nil || !p.IsClosed() {
			return ""
		}
		why = p.ClosedReason()
	}
	return why
}

// keepThoseThatCouldNotRestart marks running jobs that Slurm would not let start again if they were stopped.
func (a *snapshotAssembler) keepThoseThatCouldNotRestart(s *policy.Snapshot) {
	for i := range s.Jobs {
		p := &s.Jobs[i]
		if p.State != policy.Running || p.UnstoppableReason != "" {
			continue
		}
		c := restart.Case{View: a.View, Snapshot: s, Job: a.View.Job(int64(p.ID)), Planned: p, From: s.Now}
		if why := restart.Reason(c); why != "" {
			p.UnstoppableReason = "it could not start again: " + why
		}
	}
}
