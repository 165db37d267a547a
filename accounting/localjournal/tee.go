package localjournal

import (
	"context"
	"errors"
	"fmt"
	"time"

	"fairbridge/bridge"
)

// Database is the journal in the database. It can lose what it was told when it is put back from a backup.
type Database interface {
	bridge.Journal
	RestoreIntents(ctx context.Context, lost []bridge.Intent) ([]bridge.Intent, error)
}

// Tee is a journal in the database with a copy in a local file.
type Tee struct {
	DB    Database // the truth
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
// local file while that was lent. What was sent and it does not know is put back: otherwise
// it would stay in Slurm for ever.
func (t *Tee) Intents(ctx context.Context, cluster string, now, since time.Time) ([]bridge.Intent, error) {
	if err := t.endLoan(ctx, cluster); err != nil {
		return nil, err
	}
	live, err := t.DB.Intents(ctx, cluster, now, since)
	if err != nil {
		return nil, err
	}
	count, err := t.restoreLost(ctx, cluster, live)
	if err != nil || count == 0 {
		return live, err
	}
	return t.DB.Intents(ctx, cluster, now, since)
}

// restoreLost puts back into the database what was sent, still stands by the file, and the database does not know, and
// returns how many intents it was. In the file they have their new ids then; the others are over.
func (t *Tee) restoreLost(ctx context.Context, cluster string, known []bridge.Intent) (count int, err error) {
	t.Local.mu.Lock()
	defer t.Local.mu.Unlock()
	isKnown := map[int64]*bridge.Intent{}
	for i := range known {
		isKnown[known[i].ID] = &known[i]
	}
	var lost []bridge.Intent
	for _, in := range t.Local.intentByID {
		was := isKnown[in.ID]
		isLive := in.State.IsOpen() && in.State != bridge.IntentPlanned || in.State == bridge.IntentObserved
		if in.Cluster == cluster && isLive && (was == nil || !isSameIntent(&in, was)) {
			lost = append(lost, in)
		}
	}
	if len(lost) == 0 {
		return 0, nil
	}
	sortByID(lost)
	restored, err := t.DB.RestoreIntents(ctx, lost)
	if err != nil {
		return 0, fmt.Errorf("putting back what the database lost: %w", err)
	}
	for i := range lost {
		lost[i].State, lost[i].Closed = bridge.IntentVoid, t.Local.now()
		lost[i].Error = "the database has it, or lost it and has it again under another number"
	}
	return len(restored), t.Local.writeIntentsLocked(append(lost, restored...))
}

// UpdateDatabase tells the database what happened while it was gone, and returns how
// many intents it did not know of. Call it before the first cycle: otherwise
// what a release undid from the file would look like somebody else's change.
func (t *Tee) UpdateDatabase(ctx context.Context, cluster string) (caughtUp int, err error) {
	known, err := t.DB.Intents(ctx, cluster, time.Time{}, t.Local.now())
	if err != nil {
		return 0, err
	}
	if _, err := t.restoreLost(ctx, cluster, known); err != nil {
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

// LendFile lets other processes write the file, until TakeFileBack. What is noted
// meanwhile is an error.
func (j *Journal) LendFile() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.isLent = true
	return j.Close()
}

// TakeFileBack takes a lent file again and reads what others wrote. back is false
// when it was not lent; the error is ErrInUse while another process has it.
func (j *Journal) TakeFileBack() (back bool, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if !j.isLent {
		return false, nil
	}
	clear(j.intentByID)
	j.damageErrors = nil
	if err := j.openFile(); err != nil {
		return false, errors.Join(fmt.Errorf("taking the local journal back: %w", err), j.Close())
	}
	j.isLent = false
	return true, nil
}

// NoteDatabaseReached is told after each cycle whether the database could be asked who
// leads. When it could not for longer than after, which must be longer than a
// leadership lasts, the file is lent, so that fairbridge expire can work from
// it: nothing is sent from here then.
func (t *Tee) NoteDatabaseReached(ok bool, now time.Time, after time.Duration) error {
	switch {
	case ok:
		t.databaseLostAt = time.Time{}
	case t.databaseLostAt.IsZero():
		t.databaseLostAt = now
	case now.Sub(t.databaseLostAt) > after:
		return t.Local.LendFile()
	}
	return nil
}

// endLoan ends a loan, and tells the database what was done in it.
func (t *Tee) endLoan(ctx context.Context, cluster string) error {
	back, err := t.Local.TakeFileBack()
	if err != nil || !back {
		return err
	}
	if _, err := t.UpdateDatabase(ctx, cluster); err != nil {
		return errors.Join(err, t.Local.LendFile()) // tried again by the next cycle
	}
	return nil
}
