package accounting

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"fairbridge/sql"
)

var (
	qSumsLock, qSumsUnlock = sql.Query("sums_lock"), sql.Query("sums_unlock")
	qSumsView, qSumsDue    = sql.Query("sums_view"), sql.Query("sums_due")
	qSumsDay, qSumsDone    = sql.Query("sums_day"), sql.Query("sums_done")
)

// SumUp brings what reports read up to the record: every day whose record
// changed since the last time, late data included, is made anew, each in a
// transaction of its own. It returns how many days that were. While another
// does it, it does nothing.
func (d *DB) SumUp(ctx context.Context, cluster string) (days int, err error) {
	conn, err := d.pool.Acquire(ctx)
	if err != nil {
		return 0, explain("summing up", err)
	}
	defer conn.Release()
	var mine bool
	if err := conn.QueryRow(ctx, qSumsLock, cluster).Scan(&mine); err != nil || !mine {
		return 0, explain("summing up", err)
	}
	defer func() {
		_, e := conn.Exec(context.WithoutCancel(ctx), qSumsUnlock, cluster)
		err = errors.Join(err, explain("ending the summing up", e))
	}()
	if err := lookBack(ctx, conn, cluster); err != nil {
		return 0, explain("reading old snapshots", err)
	}
	return sumDays(ctx, conn, cluster)
}

func sumDays(ctx context.Context, conn *pgxpool.Conn, cluster string) (int, error) {
	var seen time.Time
	err := conn.QueryRow(ctx, qSumsView, cluster).Scan(&seen)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, nil // nothing was ever recorded
	}
	if err != nil {
		return 0, explain("summing up", err)
	}
	rows, err := conn.Query(ctx, qSumsDue, cluster)
	if err != nil {
		return 0, explain("summing up", err)
	}
	due, err := pgx.CollectRows(rows, pgx.RowTo[time.Time])
	if err != nil {
		return 0, explain("summing up", err)
	}
	for i, day := range due {
		if err := patiently(ctx, conn, func(tx pgx.Tx) error {
			_, err := tx.Exec(ctx, qSumsDay, cluster, day)
			return err
		}); err != nil {
			return i, explain(fmt.Sprintf("summing up %s", day.Format(time.DateOnly)), err)
		}
	}
	_, err = conn.Exec(ctx, qSumsDone, cluster, seen)
	return len(due), explain("summing up", err)
}

// patiently runs f in one consistent view of the database, without the time
// limits of a cycle.
func patiently(ctx context.Context, conn *pgxpool.Conn, f func(pgx.Tx) error) error {
	return pgx.BeginTxFunc(ctx, conn, pgx.TxOptions{IsoLevel: pgx.RepeatableRead}, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "set local statement_timeout = '10min'; set local jit = off"); err != nil {
			return err
		}
		return f(tx)
	})
}
