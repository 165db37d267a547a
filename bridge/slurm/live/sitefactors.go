package live

import (
	"context"

	"fairbridge/bridge/slurm"
	"fairbridge/bridge/slurm/scontrol"
)

// AddSiteFactors adds to the view's jobs the site factors that sprio shows, which tell whether
// one is still ours. Where it cannot be asked the view says why.
func AddSiteFactors(ctx context.Context, s scontrol.Command, v *slurm.View) {
	if !v.CanWriteSiteFactor {
		return
	}
	factors, err := s.ReadSiteFactors(ctx)
	if err != nil {
		v.UnreadSiteFactorsReason = err.Error()
		return
	}
	for i := range v.Jobs {
		if factor, ok := factors[v.Jobs[i].ID]; ok && v.Jobs[i].IsPending() {
			v.Jobs[i].SiteFactor, v.Jobs[i].IsSiteFactorKnown = factor, true
		}
	}
}
