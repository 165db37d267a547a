// Package operations keeps what operators did: each action with its author, until it ended.
package operations

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

// Store keeps actions in a database. It is safe for concurrent use.
type Store struct {
	DB *accounting.DB
}

// RecordedAction is an action with how it was asked for and how it ended.
type RecordedAction struct {
	bridge.OperatorAction
	Origin  string    `json:"origin"` // how it was proven who asks
	Effect  string    `json:"effect"` // what it does, as it was told before it was confirmed
	Ended   time.Time `json:"ended,omitzero"`
	EndedBy string    `json:"ended_by,omitempty"`
	Stands  bool      `json:"stands"`
}

// ErrEnded means that an action which was to be ended does not stand any more.
var ErrEnded = errors.New("it ended meanwhile")

var (
	qAdd, qEnd       = sql.QueryText("operator_action_add"), sql.QueryText("operator_actions_end")
	qStanding, qList = sql.QueryText("operator_actions_standing"), sql.QueryText("operator_actions")
)

// AddAction stores an action and ends others, by id, all or nothing, and fills in its ID and At. isOver says that
// nothing of it stands. Where one of the others ended meanwhile nothing is stored: ErrEnded.
func (s *Store) AddAction(ctx context.Context, cluster string, a *RecordedAction, isOver bool, ends []int64) error {
	var target *bridge.JobTarget
	if a.Jobs.Job != 0 {
		target = &a.Jobs
	}
	return s.DB.RunTx(ctx, "recording what "+a.By+" did", func(tx pgx.Tx) error {
		if len(ends) > 0 {
			tag, err := tx.Exec(ctx, qEnd, cluster, ends, value.ValidText(a.By))
			if err != nil {
				return err
			}
			if int(tag.RowsAffected()) != len(ends) {
				return fmt.Errorf("%w: %d of %d stand", ErrEnded, tag.RowsAffected(), len(ends))
			}
		}
		return tx.QueryRow(ctx, qAdd, cluster, string(a.Kind), a.Partition, string(a.Mode), value.ValidText(a.Jobs.Address), target, a.Change, value.ValidText(a.By),
			value.ValidText(a.Origin), value.ValidText(a.Why), value.ValidText(a.Effect), value.NullIfZero(a.Until), isOver).Scan(&a.ID, &a.At)
	})
}

// StandingActions returns the actions that stand now by the database's clock, but for those of kind mode,
// oldest first.
func (s *Store) StandingActions(ctx context.Context, cluster string) ([]bridge.OperatorAction, error) {
	list, err := accounting.CollectRows(ctx, s.DB, func(row pgx.CollectableRow) (a bridge.OperatorAction, err error) {
		var until *time.Time
		var target *bridge.JobTarget
		err = row.Scan(&a.ID, &a.Kind, &target, &a.Change, &a.By, &a.Why, &a.At, &until)
		a.At, a.Until, a.Jobs = a.At.UTC(), value.TimeOrZero(until), valueOrZero(target)
		return a, err
	}, qStanding, cluster)
	return list, accounting.WrapError("reading what operators did", err)
}

// ListActions returns actions, the newest first, before an id (0: the last), at most so many.
func (s *Store) ListActions(ctx context.Context, cluster string, before int64, limit int) ([]RecordedAction, error) {
	list, err := accounting.CollectRows(ctx, s.DB, func(row pgx.CollectableRow) (a RecordedAction, err error) {
		var until, ended *time.Time
		var target *bridge.JobTarget
		err = row.Scan(&a.ID, &a.Kind, &a.Partition, &a.Mode, &target, &a.Change, &a.By, &a.Why, &a.At, &until, &a.Origin, &a.Effect, &ended, &a.EndedBy, &a.Stands)
		a.At, a.Until, a.Ended, a.Jobs = a.At.UTC(), value.TimeOrZero(until), value.TimeOrZero(ended), valueOrZero(target)
		return a, err
	}, qList, cluster, before, limit)
	return list, accounting.WrapError("reading what operators did", err)
}

func valueOrZero(t *bridge.JobTarget) (out bridge.JobTarget) {
	if t != nil {
		out = *t
	}
	return out
}
