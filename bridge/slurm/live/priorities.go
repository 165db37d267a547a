package live

import (
	"context"

	"fairbridge/bridge/slurm"
	"fairbridge/bridge/slurm/scontrol"
)

// AddPriorities adds to the view's jobs the site factors that sprio shows, which tell whether
// one is still ours, and their priorities of this moment: where lists of states are polled, a record
// is as old as the last whole list, and Slurm computes priorities anew meanwhile, by Fair Tree
// thousands higher or lower for a whole account. Where sprio cannot be asked the view says why.
//
// sprio adds up the factors; a fresh record shows the priority by which Slurm orders the job. They
// differ where backfill, at a job that was changed while it had yielded its locks, wrote back the
// priority of its pass's beginning (backfill.c:1977 of 22.05.8, 2365 of 24.11.5; 26.05.3 spares those
// set directly). That lasts until Slurm computes all priorities again, or the job is updated. They
// differ after scontrol top too, which changes nice and priority only: the record is right then.
// isUnclear is returned where a nice that is not shown would tell which of the two it was.
func AddPriorities(ctx context.Context, s scontrol.Command, v *slurm.View) (isUnclear bool) {
	priorities, err := s.ReadPriorities(ctx)
	if err != nil {
		if v.CanWriteSiteFactor {
			v.UnreadSiteFactorsReason = err.Error()
		}
		return false
	}
	for i := range v.Jobs {
		if p, ok := priorities[v.Jobs[i].ID]; ok && v.Jobs[i].IsPending() {
			isUnclear = !addPriority(v, &v.Jobs[i], p) || isUnclear
		}
	}
	return isUnclear
}

// priorityRounding is by how much a record and sprio may differ although neither is older: one
// rounds the sum of the factors, the other cuts it off.
const priorityRounding = 2

// addPriority adds what sprio shows of a job. ok is false where it is unclear which priority counts: the
// record's is left.
func addPriority(v *slurm.View, j *slurm.Job, p scontrol.JobPriority) (ok bool) {
	if v.CanWriteSiteFactor {
		j.SiteFactor, j.IsSiteFactorKnown = p.SiteFactor, true
	}
	differs := v.IsFresh(j.ID) && max(j.Priority-p.Priority, p.Priority-j.Priority) > priorityRounding
	switch {
	case p.Priority == 0 || j.IsHeld:
		return true
	case differs && !j.IsNiceKnown:
		return false
	case differs && p.Nice != j.Nice: // scontrol top
		return true
	}
	j.IsPriorityUndone, j.Priority = differs, p.Priority
	return true
}
