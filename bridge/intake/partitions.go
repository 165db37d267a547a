package intake

import "fairbridge/bridge/slurm"

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

// neverAgainReason says why a running job could not start again if it were stopped, however
// much were free: what was changed of its partition leaves jobs that run alone. "" when it could.
func (a *snapshotAssembler) neverAgainReason(j *slurm.Job) string {
	for _, name := range j.Partitions {
		if p := a.View.Partition(name); p != nil {
			if why := p.RefusalReason(j); why != "" {
				return "it could not start again: " + why
			}
		}
	}
	return ""
}
