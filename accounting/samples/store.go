// Package samples keeps what node probes measure of GPUs: single readings for some
// days, sums by hour and by run for good.
package samples

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"fairbridge/accounting"
	"fairbridge/bridge/probes"
	"fairbridge/policy"
	"fairbridge/sql"
)

// Store keeps readings in a database. It is safe for concurrent use.
type Store struct {
	DB     *accounting.DB
	gpuIDs gpuIDs
}

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

// dayRows are the readings of one day (UTC) as rows of gpu_readings. It is the
// source of a COPY.
type dayRows struct {
	day       time.Time
	readings  []*Reading
	gpuIDs    []int32
	nextIndex int   // the next row
	values    []any // reused: the driver encodes it at once
}

// splitReadingsByDay sorts readings into days; ids has the number of each reading's GPU.
func splitReadingsByDay(list []Reading, ids []int32) []dayRows {
	days := map[time.Time]*dayRows{}
	for i := range list {
		key := list[i].At.UTC().Truncate(24 * time.Hour)
		day := days[key]
		if day == nil {
			day = &dayRows{day: key, values: make([]any, len(readingColumns))}
			days[key] = day
		}
		day.readings, day.gpuIDs = append(day.readings, &list[i]), append(day.gpuIDs, ids[i])
	}
	var out []dayRows
	for _, key := range slices.SortedFunc(maps.Keys(days), time.Time.Compare) {
		out = append(out, *days[key])
	}
	return out
}

func (r *dayRows) partitionName() string { return "gpu_readings_" + r.day.Format("20060102") }

// listHours returns the beginnings of the hours the rows fall on, sorted.
func (r *dayRows) listHours() []time.Time {
	seen := map[time.Time]bool{}
	for _, l := range r.readings {
		seen[l.At.UTC().Truncate(time.Hour)] = true
	}
	return slices.SortedFunc(maps.Keys(seen), time.Time.Compare)
}

// Next implements pgx.CopyFromSource.
func (r *dayRows) Next() bool {
	r.nextIndex++
	return r.nextIndex <= len(r.readings)
}

// Values implements pgx.CopyFromSource.
func (r *dayRows) Values() ([]any, error) {
	l := r.readings[r.nextIndex-1]
	r.values = append(r.values[:0], l.At, int64(l.Job), r.gpuIDs[r.nextIndex-1], floatOrNull(l.Busy), floatOrNull(l.MemoryShare),
		countOrNull(l.ProcessCount), int16(cmp.Or(l.JobsOnGPU, minJobCount(l.Job))), l.IsSick, boolOrNull(l.Throttled))
	for _, column := range valueColumns {
		r.values = append(r.values, floatOrNull(l.ValueByColumn[column]))
	}
	return r.values, nil
}

// Err implements pgx.CopyFromSource.
func (r *dayRows) Err() error { return nil }

// minJobCount is how many jobs are on a GPU of which one is known.
func minJobCount(job policy.JobID) int {
	if job == 0 {
		return 0
	}
	return 1
}

func floatOrNull(m policy.OptionalValue) *float32 {
	if !m.Known {
		return nil
	}
	v := float32(m.Value)
	return &v
}

func countOrNull(m policy.OptionalValue) *int16 {
	if !m.Known {
		return nil
	}
	v := int16(min(max(m.Value, 0), 1<<15-1))
	return &v
}

func boolOrNull(m policy.OptionalValue) *bool {
	if !m.Known {
		return nil
	}
	v := m.Value > 0
	return &v
}

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

// LastReading is what was measured last of one GPU, whoever used it.
type LastReading struct {
	Node, UUID, Type string
	At               time.Time
	Busy             policy.OptionalValue // part 0..1
	MemoryShare      policy.OptionalValue // part 0..1
	Watts            policy.OptionalValue
	IsSick           bool
}

var qGPUsLast = sql.QueryText("gpus_last")

// LastReadings returns the newest reading of every GPU of a cluster since a moment, by node and GPU. It reads
// every reading since then.
func (s *Store) LastReadings(ctx context.Context, cluster string, since time.Time) ([]LastReading, error) {
	list, err := accounting.CollectRows(ctx, s.DB, func(row pgx.CollectableRow) (r LastReading, err error) {
		var busy, memory, watts *float32
		err = row.Scan(&r.Node, &r.UUID, &r.Type, &r.At, &busy, &memory, &watts, &r.IsSick)
		r.At, r.Busy, r.MemoryShare, r.Watts = r.At.UTC(), optionalValue(busy), optionalValue(memory), optionalValue(watts)
		return r, err
	}, qGPUsLast, cluster, since)
	return list, accounting.WrapError("reading what was measured last", err)
}

func optionalValue(v *float32) policy.OptionalValue {
	if v == nil {
		return policy.OptionalValue{}
	}
	return policy.KnownValue(float64(*v))
}
