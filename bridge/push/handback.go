package push

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"fairbridge/bridge"
	"fairbridge/bridge/ledger"
	"fairbridge/bridge/slurm"
)

// FinishHandBacks releases what hand-backs left held and is provably ours. The
// rows of the ledger stay open until a poll shows the job free, so a try that
// fails is not the last.
func FinishHandBacks(ctx context.Context, c bridge.Cluster, unfinished []ledger.UnfinishedHandBack) error {
	h, ok := c.(bridge.HandBacker)
	if !ok {
		return nil
	}
	var begun []slurm.Edit
	var runs []string
	for i := range unfinished {
		u := &unfinished[i]
		if u.Ours {
			begun = append(begun, slurm.Edit{Run: u.Run, Kind: slurm.EditHandBackPriority, Value: u.Nice})
			runs = append(runs, u.RunText())
		}
	}
	if len(begun) == 0 {
		return nil
	}
	if err := h.FinishHandBacks(ctx, begun); err != nil {
		return fmt.Errorf("releasing %s, which a hand-back of ours left held (scontrol release does it too): %w", strings.Join(runs, ", "), err)
	}
	return nil
}

// sendHandBack sends a hand-back and writes down, between its two calls, that the
// hold is ours.
func (p *Pusher) sendHandBack(ctx context.Context, c bridge.HandBacker, in *bridge.Intent) error {
	var unwritten error
	err := c.HandBack(ctx, in.Edit, func(ctx context.Context) error {
		in.Before.HeldByUsAt = p.Now()
		unwritten = p.updateIntent(ctx, in)
		return unwritten
	})
	return errors.Join(err, unwritten)
}
