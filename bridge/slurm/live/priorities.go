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
// set directly). That stands until Slurm computes all priorities anew, or the job is updated.
func AddPriorities(ctx context.Context, s scontrol.Command, v *slurm.View) {
	priorities, err := s.ReadPriorities(ctx)
	switch {
	case err != nil && v.CanWriteSiteFactor:
		v.UnreadSiteFactorsReason = err.Error()
	case err == nil:
		for i := range v.Jobs {
			if p, ok := priorities[v.Jobs[i].ID]; ok && v.Jobs[i].IsPending() {
				addPriority(v, &v.Jobs[i], p)
			}
		}
	}
}

// priorityRounding is by how much a record and sprio may differ although neither is older: one
// rounds the sum of the factors, the other cuts it off.
const priorityRounding = 2

func addPriority(v *slurm.View, j *slurm.Job, p scontrol.JobPriority) {
	if v.CanWriteSiteFactor {
		j.SiteFactor, j.IsSiteFactorKnown = p.SiteFactor, true
	}
	if p.Priority == 0 || j.IsHeld {
		return
	}
	j.IsPriorityUndone = v.IsFresh(j.ID) && max(j.Priority-p.Priority, p.Priority-j.Priority) > priorityRounding
	j.Priority = p.Priority
}
