package localjournal

import (
	"context"
	"errors"
	"time"

	"fairbridge/bridge"
)

// Tee is a journal in the database with a copy in a local file.
type Tee struct {
	DB    bridge.Journal // the truth
	Local *Journal

	databaseLostAt time.Time // since when the database cannot be asked who leads
}

var (
	_ bridge.Journal = (*Tee)(nil)
	_ bridge.Journal = (*Journal)(nil)
)

// StoreIntents stores in both. What is not in both may not be pushed; intents that
// are only in the database are void in the next cycle.
func (t *Tee) StoreIntents(ctx context.Context, c *bridge.Cycle, intents []bridge.Intent) ([]bridge.Intent, error) {
	out, err := t.DB.StoreIntents(ctx, c, intents)
	if err != nil {
		return nil, err
	}
	if err := t.Local.WriteIntents(out...); err != nil {
		return nil, err
	}
	return out, nil
}

// UpdateIntent stores in both. The leave to send comes from the database first; an
// outcome is noted in the file even when the database is gone.
func (t *Tee) UpdateIntent(ctx context.Context, in bridge.Intent) error {
	err := t.DB.UpdateIntent(ctx, in)
	if err != nil && in.State == bridge.IntentSent {
		return err
	}
	return errors.Join(err, t.Local.WriteIntents(in))
}

// Intents reads the database, after it has been told of what was done from the
// local file while that was lent.
func (t *Tee) Intents(ctx context.Context, cluster string, now, since time.Time) ([]bridge.Intent, error) {
	if err := t.endLoan(ctx, cluster); err != nil {
		return nil, err
	}
	return t.DB.Intents(ctx, cluster, now, since)
}

// UpdateDatabase tells the database what happened while it was gone, and returns how
// many intents it did not know of. Call it before the first cycle: otherwise
// what a release undid from the file would look like somebody else's change.
func (t *Tee) UpdateDatabase(ctx context.Context, cluster string) (caughtUp int, err error) {
	known, err := t.DB.Intents(ctx, cluster, time.Time{}, t.Local.now())
	if err != nil {
		return 0, err
	}
	t.Local.mu.Lock()
	defer t.Local.mu.Unlock()
	for _, was := range known {
		in, ok := t.Local.intentByID[was.ID]
		if !ok || !isSameIntent(&in, &was) || rankOfState(in.State) <= max(rankOfState(was.State), rankOfState(bridge.IntentSent)) {
			continue
		}
		if err := t.DB.UpdateIntent(ctx, in); err != nil {
			return caughtUp, err
		}
		caughtUp++
	}
	return caughtUp, nil
}

// rankOfState orders the states by how far an intent has come.
func rankOfState(s bridge.IntentState) int {
	for i, x := range []bridge.IntentState{bridge.IntentPlanned, bridge.IntentSent, bridge.IntentUnknown, bridge.IntentAcked, bridge.IntentObserved} {
		if s == x {
			return i
		}
	}
	return 5 // closed
}

// isSameIntent reports whether both are the same intent: ids begin anew in a new
// database.
func isSameIntent(a, b *bridge.Intent) bool {
	return a.Cluster == b.Cluster && a.Epoch == b.Epoch && a.Made.Equal(b.Made) && a.Edit.Kind == b.Edit.Kind && a.Edit.Run.IsSameRun(b.Edit.Run)
}
