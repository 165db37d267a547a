package bridge

import (
	"context"
	"fmt"
	"time"

	"fairbridge/bridge/ledger"
	"fairbridge/bridge/slurm"
)

// Releaser gives back everything of ours that stands in Slurm. It knows no
// policy and no gate: it can only undo, by value, what the ledger says is
// ours.
type Releaser struct {
	Parts
	Name  string // the cluster
	Epoch int64  // of the leadership it acts under
}

// Released is what a release did, or would do.
type Released struct {
	Edits   []slurm.Edit    `json:"edits"`             // what gives the fields back
	Intents []ledger.Intent `json:"intents,omitempty"` // what came of them; nil on a dry run
	Kept    []slurm.Edit    `json:"kept,omitempty"`    // of running jobs: they matter only if the job is requeued, and can be given back then
	Open    int             `json:"open"`              // intents whose outcome is not known yet: release again after settling
}

// Find reads Slurm and the ledger and returns what there is to give back. It
// changes nothing.
func (r *Releaser) Find(ctx context.Context) (*Released, error) {
	out, _, _, err := r.find(ctx)
	return out, err
}

// find also returns the facts, and the intents whose outcome the view shows.
func (r *Releaser) find(ctx context.Context) (*Released, *Facts, []ledger.Intent, error) {
	v, err := r.Cluster.Observe(ctx)
	if err != nil {
		return nil, nil, nil, fmt.Errorf("polling Slurm: %w", err)
	}
	f := &Facts{View: v}
	changed, err := f.settle(ctx, r.Journal, r.Name)
	if err != nil {
		return nil, nil, nil, err
	}
	out := &Released{Edits: ledger.Undo(f.Intents, v, v.At), Kept: ledger.Stuck(f.Intents, v, v.At), Open: f.open()}
	return out, f, changed, nil
}

// settle is find, and closes what can be closed.
func (r *Releaser) settle(ctx context.Context) (*Released, *Facts, error) {
	out, f, changed, err := r.find(ctx)
	if err != nil {
		return nil, nil, err
	}
	for _, in := range changed {
		if err := r.Journal.Mark(ctx, in); err != nil {
			return nil, nil, fmt.Errorf("closing intent %d: %w", in.ID, err)
		}
	}
	return out, f, nil
}

// Release gives everything back, one edit after another.
func (r *Releaser) Release(ctx context.Context) (*Released, error) {
	out, f, err := r.settle(ctx)
	if err != nil {
		return nil, err
	}
	if err := payDebts(ctx, r.Cluster, f); err != nil || len(out.Edits) == 0 {
		return out, err
	}
	planned := make([]ledger.Intent, len(out.Edits))
	for i, e := range out.Edits {
		planned[i] = ledger.Intent{
			Cluster: r.Name, Epoch: r.Epoch, Policy: "release", Edit: e,
			Before: beforeOf(f.Book, f.View.Job(e.Run.Job), e, f.View.At), State: ledger.Planned, Made: f.View.At,
		}
	}
	if planned, err = r.Journal.Intend(ctx, nil, planned); err != nil {
		return out, fmt.Errorf("storing what is to be given back: %w", err)
	}
	p := pusher{Parts: r.Parts, may: func(ctx context.Context) error { return ctx.Err() }}
	out.Intents, err = p.push(ctx, planned)
	return out, err
}

// Settled waits until polls show what a release did, or the context ends.
func (r *Releaser) Settled(ctx context.Context, every time.Duration) error {
	for {
		out, _, err := r.settle(ctx)
		if err != nil {
			return err
		}
		if out.Open == 0 && len(out.Edits) == 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%d fields not yet given back, %d outcomes unknown: run release again: %w", len(out.Edits), out.Open, ctx.Err())
		case <-time.After(every):
		}
	}
}
