package bridge

import (
	"context"
	"fmt"

	"fairbridge/bridge/ledger"
	"fairbridge/bridge/slurm"
)

// Debtor is a Cluster whose hand-backs take two calls: one that holds the job,
// one that releases it. A process that dies between them leaves a hold that
// only we know to be ours.
type Debtor interface {
	Owe(slurm.Run)
	Pay(context.Context) error
}

// debts returns the runs that a hand-back of ours left held: it was sent, its
// outcome was never seen, and the job, which nobody held before, is held in the
// way an Operator's call holds it. The intents are those before settling, which
// gives up what is too old.
func debts(intents []ledger.Intent, v *slurm.View) []slurm.Run {
	var owed []slurm.Run
	for i := range intents {
		in := &intents[i]
		if in.Edit.Kind != slurm.HandBack || in.State != ledger.Sent && in.State != ledger.Unknown {
			continue
		}
		j := v.Job(in.Edit.Run.Job)
		if j != nil && j.Held && j.Reason == "JobHeldAdmin" && in.Edit.Run.Same(j.Run()) {
			owed = append(owed, j.Run())
		}
	}
	return owed
}

// payDebts releases what hand-backs left held.
func payDebts(ctx context.Context, c Cluster, f *Facts) error {
	d, ok := c.(Debtor)
	if !ok || len(f.Owed) == 0 {
		return nil
	}
	for _, run := range f.Owed {
		d.Owe(run)
	}
	if err := d.Pay(ctx); err != nil {
		return fmt.Errorf("releasing %v, which a hand-back of ours left held (scontrol release does it too): %w", f.Owed, err)
	}
	return nil
}
