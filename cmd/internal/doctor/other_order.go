package doctor

import (
	"context"

	"fairbridge/accounting/stores"
	"fairbridge/bridge/ledger"
	"fairbridge/bridge/push"
	"fairbridge/bridge/slurm"
	"fairbridge/bridge/slurm/live"
)

// checkSiteFactors reads the site factors of the view's jobs, without which it cannot be told
// whether something else sets them too.
func checkSiteFactors(ctx context.Context, scontrol []string, v *slurm.View) (r Report) {
	live.AddPriorities(ctx, scontrol, v)
	if v.UnreadSiteFactorsReason != "" {
		r.addFinding("order", LevelWarn, "install slurm-client here, or set slurm.scontrol: sprio is looked for beside it",
			"sprio cannot be asked: a site factor that something else writes over ours is not seen, and priorities are as old as the last whole list of jobs, minutes: %s", v.UnreadSiteFactorsReason)
	}
	return r
}

// checkOtherOrder looks whether something else changes priorities too.
func checkOtherOrder(ctx context.Context, db *stores.Stores, cluster string, v *slurm.View) (r Report) {
	if v == nil {
		return nil
	}
	intents, err := push.ReadRecentIntents(ctx, db, cluster, v.At)
	if err != nil {
		r.addFinding("order", LevelSkip, "", "%v", err)
		return r
	}
	intents, _ = push.ReconcileIntents(intents, v)
	if err := ledger.CheckOtherOrder(ledger.OtherOrderReasonByJob(intents, v)); err != nil {
		r.addFinding("order", LevelWarn, "fairbridge explain JOB says what was changed; let only one of them order these partitions", "%v", err)
		return r
	}
	r.addOK("order", "nothing else is seen to change the priorities of waiting jobs")
	return r
}
