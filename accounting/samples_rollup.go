package accounting

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"fairbridge/sql"
)

var (
	qRollup  = sql.Query("samples_rollup")
	qRuns    = sql.Query("samples_runs")
	qDue     = sql.Query("samples_due")
	qDueDone = sql.Query("samples_due_done")
)

// Rollup sums up the readings of the hour that holds t, per job and GPU type.
// Doing it again gives the same rows.
func (d *DB) Rollup(ctx context.Context, cluster string, t time.Time) error {
	return d.long(ctx, "rolling up GPU readings", func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, qRollup, cluster, t.UTC().Truncate(time.Hour))
		return err
	})
}

// long runs f in a transaction that may take minutes: the hour of a large site
// is millions of readings.
func (d *DB) long(ctx context.Context, doing string, f func(pgx.Tx) error) error {
	return d.tx(ctx, doing, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "set local statement_timeout = '10min'; set local jit = off"); err != nil {
			return err
		}
		return f(tx)
	})
}

// RollupDue sums up every hour that got readings since it was last summed up,
// late ones included, and then the runs that ended in them or later, up to now.
// It returns how many hours there were. Call it by the clock, an hour apart or
// less.
func (d *DB) RollupDue(ctx context.Context, cluster string, now time.Time) (hours int, err error) {
	rows, err := d.pool.Query(ctx, qDue, cluster)
	if err != nil {
		return 0, explain("looking for GPU readings to roll up", err)
	}
	due, err := pgx.CollectRows(rows, pgx.RowTo[time.Time])
	if err != nil {
		return 0, explain("looking for GPU readings to roll up", err)
	}
	for _, hour := range due {
		if err := d.rollupHour(ctx, cluster, hour); err != nil {
			return hours, err
		}
		hours++
	}
	from := now.Add(-2 * time.Hour) // a run may be known to have ended later than it did
	if hours > 0 && due[0].Before(from) {
		from = due[0]
	}
	return hours, d.RollupRuns(ctx, cluster, from, now.Add(time.Minute))
}

// rollupHour takes the note off in the same transaction: readings that come
// meanwhile wait for it and write theirs after.
func (d *DB) rollupHour(ctx context.Context, cluster string, hour time.Time) error {
	return d.long(ctx, "rolling up GPU readings", func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, qDueDone, cluster, hour); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, qRollup, cluster, hour)
		return err
	})
}

// RollupRuns sums up what was measured of the runs that ended from one time up
// to another. Doing it again gives the same rows.
func (d *DB) RollupRuns(ctx context.Context, cluster string, from, to time.Time) error {
	return d.long(ctx, "rolling up GPU readings of runs", func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, qRuns, cluster, from, to)
		return err
	})
}
