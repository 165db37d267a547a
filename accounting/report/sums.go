package report

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"fairbridge/accounting"
	"fairbridge/accounting/capacity"
	"fairbridge/sql"
)

var (
	qSumsLock, qSumsUnlock = sql.QueryText("sums_lock"), sql.QueryText("sums_unlock")
	qSumsView, qSumsDue    = sql.QueryText("sums_view"), sql.QueryText("sums_due")
	qSumsDay, qSumsDone    = sql.QueryText("sums_day"), sql.QueryText("sums_done")
	qSumsState             = sql.QueryText("sums_state")
)

// SumState says how far the record is in the sums that reports read. The zero value: nothing is summed up.
type SumState struct {
	AsOf       time.Time // the record up to this moment is, but for the days behind
	DaysBehind int       // days that changed since
}

// ReadSumState reads how far the record of a cluster was summed up.
func (s *Store) ReadSumState(ctx context.Context, cluster string) (SumState, error) {
	var asOf *time.Time
	var state SumState
	err := s.DB.QueryRow(ctx, qSumsState, cluster).Scan(&asOf, &state.DaysBehind)
	if asOf != nil {
		state.AsOf = *asOf
	}
	if errors.Is(err, pgx.ErrNoRows) {
		return SumState{}, nil // nothing was ever recorded
	}
	return state, accounting.WrapError("reading how far the record was summed up", err)
}

// SumDueDays brings what reports read up to the record: every day whose record
// changed since the last time, late data included, is made anew, each in a
// transaction of its own. It returns how many days that were. While another
// does it, it does nothing.
func (s *Store) SumDueDays(ctx context.Context, cluster string) (days int, err error) {
	conn, err := s.DB.Acquire(ctx)
	if err != nil {
		return 0, accounting.WrapError("summing up", err)
	}
	defer conn.Release()
	var mine bool
	if err := conn.QueryRow(ctx, qSumsLock, cluster).Scan(&mine); err != nil || !mine {
		return 0, accounting.WrapError("summing up", err)
	}
	defer func() {
		_, e := conn.Exec(context.WithoutCancel(ctx), qSumsUnlock, cluster)
		err = errors.Join(err, accounting.WrapError("ending the summing up", e))
	}()
	if err := capacity.SumCapacityOfDueHours(ctx, conn, cluster); err != nil {
		return 0, accounting.WrapError("reading old snapshots", err)
	}
	return sumDueDays(ctx, conn, cluster)
}

func sumDueDays(ctx context.Context, conn *pgxpool.Conn, cluster string) (int, error) {
	var seen time.Time
	err := conn.QueryRow(ctx, qSumsView, cluster).Scan(&seen)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, nil // nothing was ever recorded
	}
	if err != nil {
		return 0, accounting.WrapError("summing up", err)
	}
	due, err := accounting.CollectRows(ctx, conn, pgx.RowTo[time.Time], qSumsDue, cluster)
	if err != nil {
		return 0, accounting.WrapError("summing up", err)
	}
	for i, day := range due {
		if err := accounting.RunLongSnapshotTx(ctx, conn, func(tx pgx.Tx) error {
			_, err := tx.Exec(ctx, qSumsDay, cluster, day)
			return err
		}); err != nil {
			return i, accounting.WrapError(fmt.Sprintf("summing up %s", day.Format(time.DateOnly)), err)
		}
	}
	_, err = conn.Exec(ctx, qSumsDone, cluster, seen)
	return len(due), accounting.WrapError("summing up", err)
}
