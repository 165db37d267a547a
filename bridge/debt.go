package bridge

import (
	"context"
	"errors"
	"fmt"

	"fairbridge/bridge/ledger"
	"fairbridge/bridge/slurm"
)

// Debtor is a Cluster whose hand-backs take two calls: one that holds the job,
// one that releases it. A process that dies between them leaves a hold that
// only the ledger knows to be ours.
type Debtor interface {
	// HandBack carries out a hand-back; held is called between the two calls,
	// when the hold was accepted.
	HandBack(ctx context.Context, e slurm.Edit, held func(context.Context) error) error
	// Owe tells of a hold of ours that is to be released, and of the nice that
	// is to be put back then, 0 for none; Pay releases what is owed.
	Owe(run slurm.Run, nice int64)
	Pay(context.Context) error
}

// payDebts releases what hand-backs left held and is provably ours. The rows of
// the ledger stay open until a poll shows the job free, so a try that fails is
// not the last.
func payDebts(ctx context.Context, c Cluster, f *Facts) error {
	d, ok := c.(Debtor)
	if !ok {
		return nil
	}
	var owed []slurm.Run
	for _, debt := range f.Owed {
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
func (p *pusher) handBack(ctx context.Context, d Debtor, in *ledger.Intent) error {
	var unwritten error
	err := d.HandBack(ctx, in.Edit, func(ctx context.Context) error {
		in.Before.Held = p.Now()
		unwritten = p.mark(ctx, in)
		return unwritten
	})
	return errors.Join(err, unwritten)
}
