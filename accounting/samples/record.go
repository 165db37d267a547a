package samples

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"fairbridge/accounting"
	"fairbridge/bridge/probes"
	"fairbridge/sql"
)

// Reading is what a probe showed of a GPU and a job on it.
type Reading = probes.Reading

var (
	qDueAdd = sql.QueryText("samples_due_add")
	qGapAdd = sql.QueryText("gap_add")
)

// valueColumns are the columns of the numbers that are kept as they are read.
var valueColumns = probes.ValueColumns()

// readingColumns are the columns of gpu_readings.
var readingColumns = append([]string{"at", "job", "gpu", "busy", "mem_used", "procs", "sharing", "sick", "throttled"}, valueColumns...)

// RecordReadings stores readings, all or none. Those that are stored already
// are skipped, so that the same list may be stored again.
func (s *Store) RecordReadings(ctx context.Context, cluster string, list []Reading) error {
	const doing = "storing GPU readings"
	if len(list) == 0 {
		return nil
	}
	ids, err := s.gpuIDs.lookUpIDs(ctx, s.DB.Pool, cluster, list)
	if err != nil {
		return accounting.WrapError(doing, err)
	}
	days := splitReadingsByDay(list, ids)
	err = s.DB.RunTx(ctx, doing, func(tx pgx.Tx) error { return storeReadings(ctx, tx, cluster, days, copyDay) })
	if isDuplicateError(err) {
		err = s.DB.RunTx(ctx, doing, func(tx pgx.Tx) error { return storeReadings(ctx, tx, cluster, days, mergeDay) })
	}
	return err
}

// storeReadings writes the days' rows and notes which hours they belong to.
func storeReadings(ctx context.Context, tx pgx.Tx, cluster string, days []dayRows, write func(context.Context, pgx.Tx, *dayRows) error) error {
	for i := range days {
		day := &days[i]
		if _, err := tx.Exec(ctx, "select fairbridge.add_sample_day($1)", day.day); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, qDueAdd, cluster, day.listHours()); err != nil {
			return err
		}
		if err := write(ctx, tx, day); err != nil {
			return err
		}
	}
	return nil
}

// copyDay copies the rows straight into the day's partition.
func copyDay(ctx context.Context, tx pgx.Tx, day *dayRows) error {
	day.nextIndex = 0
	_, err := tx.CopyFrom(ctx, pgx.Identifier{"fairbridge", day.partitionName()}, readingColumns, day)
	return err
}

// mergeDay adds the rows that are not there yet, which takes longer.
func mergeDay(ctx context.Context, tx pgx.Tx, day *dayRows) error {
	if _, err := tx.Exec(ctx, "create temp table if not exists fresh (like fairbridge.gpu_readings) on commit drop"); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, "truncate fresh"); err != nil {
		return err
	}
	day.nextIndex = 0
	if _, err := tx.CopyFrom(ctx, pgx.Identifier{"fresh"}, readingColumns, day); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, "insert into fairbridge.gpu_readings select * from fresh on conflict do nothing")
	return err
}

// isDuplicateError reports whether a row was there already.
func isDuplicateError(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.Code == "23505"
}

// RecordGap notes that so many readings between two times were lost.
func (s *Store) RecordGap(ctx context.Context, cluster string, from, to time.Time, readings int) error {
	_, err := s.DB.Exec(ctx, qGapAdd, cluster, from, to, readings)
	return accounting.WrapError("noting lost GPU readings", err)
}

// IsDataRefused reports whether the database will never take what it was given,
// however often it is tried.
func IsDataRefused(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && len(pg.Code) == 5 && (pg.Code[:2] == "22" || pg.Code[:2] == "23")
}
