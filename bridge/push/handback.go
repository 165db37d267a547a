package push

import (
	"context"
	"errors"
	"fmt"

	"fairbridge/bridge"
	"fairbridge/bridge/ledger"
	"fairbridge/bridge/slurm"
)

// PayDebts releases what hand-backs left held and is provably ours. The rows of
// the ledger stay open until a poll shows the job free, so a try that fails is
// not the last.
func PayDebts(ctx context.Context, c bridge.Cluster, debts []ledger.Debt) error {
	d, ok := c.(bridge.Debtor)
	if !ok {
		return nil
	}
	var owed []slurm.Run
	for _, debt := range debts {
		if debt.Ours {
			d.Owe(debt.Run, debt.Nice)
			owed = append(owed, debt.Run)
		}
	}
	if len(owed) == 0 {
		return nil
	}
	if err := d.Pay(ctx); err != nil {
		return fmt.Errorf("releasing %v, which a hand-back of ours left held (scontrol release does it too): %w", owed, err)
	}
	return nil
}

// handBack sends a hand-back and writes down, between its two calls, that the
// hold is ours.
func (p *Pusher) handBack(ctx context.Context, d bridge.Debtor, in *bridge.Intent) error {
	var unwritten error
	err := d.HandBack(ctx, in.Edit, func(ctx context.Context) error {
		in.Before.Held = p.Now()
		unwritten = p.mark(ctx, in)
		return unwritten
	})
	return errors.Join(err, unwritten)
}
