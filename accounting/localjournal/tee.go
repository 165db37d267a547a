package localjournal

import (
	"context"
	"errors"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/ledger"
)

// Tee is a journal in the database with a copy in a local file.
type Tee struct {
	DB    bridge.Journal // the truth
	Local *Journal
}

var (
	_ bridge.Journal = (*Tee)(nil)
	_ bridge.Journal = (*Journal)(nil)
)

// Intend stores in both. What is not in both may not be pushed; intents that
// are only in the database are void in the next cycle.
func (t *Tee) Intend(ctx context.Context, c *bridge.Cycle, intents []ledger.Intent) ([]ledger.Intent, error) {
	out, err := t.DB.Intend(ctx, c, intents)
	if err != nil {
		return nil, err
	}
	if err := t.Local.Note(out...); err != nil {
		return nil, err
	}
	return out, nil
}

// Mark stores in both. The leave to send comes from the database first; an
// outcome is noted in the file even when the database is gone.
func (t *Tee) Mark(ctx context.Context, in ledger.Intent) error {
	err := t.DB.Mark(ctx, in)
	if err != nil && in.State == ledger.Sent {
		return err
	}
	return errors.Join(err, t.Local.Note(in))
}

// Intents reads the database.
func (t *Tee) Intents(ctx context.Context, cluster string, now, since time.Time) ([]ledger.Intent, error) {
	return t.DB.Intents(ctx, cluster, now, since)
}
