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
func AddPriorities(ctx context.Context, s scontrol.Command, v *slurm.View) {
	if !v.CanWriteSiteFactor {
		return
	}
	priorities, err := s.ReadPriorities(ctx)
	if err != nil {
		v.UnreadSiteFactorsReason = err.Error()
		return
	}
	for i := range v.Jobs {
		j := &v.Jobs[i]
		p, ok := priorities[j.ID]
		if !ok || !j.IsPending() {
			continue
		}
		j.SiteFactor, j.IsSiteFactorKnown = p.SiteFactor, true
		if p.Priority > 0 && !j.IsHeld {
			j.Priority = p.Priority
		}
	}
}
