package samples

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"fairbridge/accounting"
	"fairbridge/sql"
)

var (
	qRollup  = sql.QueryText("samples_rollup")
	qRuns    = sql.QueryText("samples_runs")
	qDue     = sql.QueryText("samples_due")
	qDueDone = sql.QueryText("samples_due_done")
)

// RollupDueHours sums up every hour that got readings since it was last summed up,
// late ones included, and then the runs that ended in them or later, up to now.
// It returns how many hours there were. Call it by the clock, an hour apart or
// less.
func (s *Store) RollupDueHours(ctx context.Context, cluster string, now time.Time) (hours int, err error) {
	due, err := accounting.CollectRows(ctx, s.DB, pgx.RowTo[time.Time], qDue, cluster)
	if err != nil {
		return 0, accounting.WrapError("looking for GPU readings to roll up", err)
	}
	for _, hour := range due {
		if err := s.rollupHour(ctx, cluster, hour); err != nil {
			return hours, err
		}
		hours++
	}
	from := now.Add(-2 * time.Hour) // a run may be known to have ended later than it did
	if hours > 0 && due[0].Before(from) {
		from = due[0]
	}
	return hours, s.RollupRuns(ctx, cluster, from, now.Add(time.Minute))
}

// rollupHour sums up the readings of an hour, per job and GPU type; doing it again gives
// the same rows. It takes the note off in the same transaction: readings that come
// meanwhile wait for it and write theirs after.
func (s *Store) rollupHour(ctx context.Context, cluster string, hour time.Time) error {
	return s.DB.RunLongTx(ctx, "rolling up GPU readings", func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, qDueDone, cluster, hour); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, qRollup, cluster, hour)
		return err
	})
}

// RollupRuns sums up what was measured of the runs that ended from one time up
// to another. Doing it again gives the same rows.
func (s *Store) RollupRuns(ctx context.Context, cluster string, from, to time.Time) error {
	return s.DB.RunLongTx(ctx, "rolling up GPU readings of runs", func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, qRuns, cluster, from, to)
		return err
	})
}
