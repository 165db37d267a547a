package journal

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"fairbridge/accounting"
	"fairbridge/accounting/internal/value"
	"fairbridge/bridge"
	"fairbridge/sql"
)

var qIntentMark, qIntentState = sql.QueryText("intent_mark"), sql.QueryText("intent_state")

// UpdateIntent stores an intent's State, times, Error, Polls, with SENT its Before, and the values SettleIntents
// adopted (Until, NotAfter). Marking SENT is the leave to send: it is refused
// with bridge.ErrFenced once another daemon leads. A closed intent stays as it is,
// and no intent goes back to an earlier state: bridge.ErrClosed.
func (s *Store) UpdateIntent(ctx context.Context, in bridge.Intent) error {
	tag, err := s.DB.Exec(ctx, qIntentMark, in.ID, in.State, value.NullIfZero(in.Edit.Until), value.NullIfZero(in.NotAfter), value.NullIfZero(in.Sent), value.NullIfZero(in.Closed), value.ValidText(in.Error), in.Polls, in.Before)
	if err != nil {
		return accounting.WrapError(fmt.Sprintf("marking intent %d %s", in.ID, in.State), err)
	}
	if tag.RowsAffected() == 1 {
		return nil
	}
	return accounting.WrapError(fmt.Sprintf("marking intent %d %s", in.ID, in.State), s.explainNotMarked(ctx, in))
}

// explainNotMarked says why an intent could not be marked.
func (s *Store) explainNotMarked(ctx context.Context, in bridge.Intent) error {
	var state bridge.IntentState
	var epoch, now int64
	var holder string
	var alive bool
	err := s.DB.QueryRow(ctx, qIntentState, in.ID).Scan(&state, &epoch, &now, &holder, &alive)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return fmt.Errorf("%w: it is not in the ledger", bridge.ErrConflict)
	case err != nil:
		return err
	case in.State == bridge.IntentSent && (epoch != now || !alive) && (state == bridge.IntentPlanned || state == bridge.IntentSent || state == bridge.IntentUnknown):
		return fmt.Errorf("%w: %s under epoch %d, ours was %d", bridge.ErrFenced, holder, now, epoch)
	}
	return fmt.Errorf("%w: it is %s", bridge.ErrClosedIntent, state)
}

var qIntents = sql.QueryText("intents")

// Intents returns every intent of the cluster that is not closed (open, or its
// effect observed and not yet given up), or was closed after since, by ID. now
// is not needed: what has run out stays until SettleIntents has closed it.
func (s *Store) Intents(ctx context.Context, cluster string, now, since time.Time) ([]bridge.Intent, error) {
	out, err := accounting.CollectRows(ctx, s.DB, scanOnlyIntent, qIntents, cluster, since)
	return out, accounting.WrapError("reading the ledger", err)
}

// scanIntent reads an intent from a row, whose last columns go to more.
func scanIntent(row pgx.CollectableRow, more ...any) (bridge.Intent, error) {
	var in bridge.Intent
	var until, notAfter, sent, closed *time.Time
	var cycle int64
	e := &in.Edit
	err := row.Scan(append([]any{&in.ID, &in.Cluster, &in.Epoch, &cycle, &in.Policy, &e.Run.Job, &e.Run.Submit, &e.Run.Restarts, &e.Run.SLUID,
		&e.Kind, &e.Value, &until, &e.Nodes, &e.Array, &e.Tasks, &e.Why, &e.Text,
		&in.Before, &in.State, &notAfter, &in.Made, &sent, &closed, &in.Error, &in.Polls}, more...)...)
	in.Cycle, in.Made = uint64(cycle), in.Made.UTC()
	e.Until, in.NotAfter, in.Sent, in.Closed = value.TimeOrZero(until), value.TimeOrZero(notAfter), value.TimeOrZero(sent), value.TimeOrZero(closed)
	if s := in.Before.Stop; s != nil {
		e.Signal = s.Signal
	}
	if len(e.Nodes) == 0 {
		e.Nodes = nil
	}
	return in, err
}

// scanOnlyIntent reads an intent from a row of its columns.
func scanOnlyIntent(row pgx.CollectableRow) (bridge.Intent, error) { return scanIntent(row) }
