package bridge

import (
	"context"
	"fmt"
	"slices"

	"fairbridge/bridge/ledger"
)

// inherit adds to the facts what tasks that were split off an array have of ours
// from it. These intents have no ID until they are kept.
func (f *Facts) inherit() {
	f.Intents = append(slices.Clip(f.Intents), ledger.Adopt(f.Intents, f.View)...)
}

// keep writes down what was inherited, so that the ledger knows it when the
// array's record is long gone. An intent that was stored and not marked is void
// at the next look, and inherited again.
func (f *Facts) keep(ctx context.Context, j Journal, epoch int64) error {
	from := slices.IndexFunc(f.Intents, func(in ledger.Intent) bool { return in.ID == 0 })
	if from < 0 {
		return nil
	}
	rows := slices.Clone(f.Intents[from:])
	for i := range rows {
		rows[i].Epoch = epoch
	}
	stored, err := j.Intend(ctx, nil, rows)
	if err != nil {
		return fmt.Errorf("storing what %d tasks inherited from their arrays: %w", len(rows), err)
	}
	for i := range stored {
		stored[i].State = ledger.Observed
		if err := j.Mark(ctx, stored[i]); err != nil {
			return fmt.Errorf("marking what job %d inherited from its array: %w", stored[i].Edit.Run.Job, err)
		}
	}
	copy(f.Intents[from:], stored)
	f.Book = ledger.NewBook(f.Intents)
	return nil
}
