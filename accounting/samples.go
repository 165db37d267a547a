package accounting

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"fairbridge/policy"
	"fairbridge/sql"
)

// Reading is what one GPU showed at one moment.
type Reading struct {
	At   time.Time
	Node string
	UUID string
	Type string
	Job  policy.JobID   // 0: idle
	Busy policy.Measure // utilisation, 0..1
	Mem  policy.Measure // share of memory used, 0..1
	Draw policy.Measure // watts
}

var qRollup = sql.Query("samples_rollup")

// readingColumns are the columns of gpu_samples.
var readingColumns = []string{"cluster", "at", "node", "uuid", "gpu_type", "job", "busy", "mem_used", "watts"}

// RecordReadings stores readings. Those that are stored already are skipped.
func (d *DB) RecordReadings(ctx context.Context, cluster string, list []Reading) error {
	return d.tx(ctx, "storing GPU readings", func(tx pgx.Tx) error {
		for _, day := range daysOf(list) {
			if _, err := tx.Exec(ctx, "select fairbridge.add_sample_day($1)", day); err != nil {
				return err
			}
		}
		if _, err := tx.Exec(ctx, "create temp table fresh (like fairbridge.gpu_samples) on commit drop"); err != nil {
			return err
		}
		_, err := tx.CopyFrom(ctx, pgx.Identifier{"fresh"}, readingColumns, pgx.CopyFromSlice(len(list), func(i int) ([]any, error) {
			r := &list[i]
			return []any{cluster, r.At, clean(r.Node), clean(r.UUID), clean(r.Type), int64(r.Job), known32(r.Busy), known32(r.Mem), known32(r.Draw)}, nil
		}))
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, "insert into fairbridge.gpu_samples select * from fresh on conflict do nothing")
		return err
	})
}

func known32(m policy.Measure) *float32 {
	if !m.Known {
		return nil
	}
	v := float32(m.Value)
	return &v
}

// daysOf returns the days (UTC) the readings fall on, each once.
func daysOf(list []Reading) []time.Time {
	var days []time.Time
	seen := map[time.Time]bool{}
	for i := range list {
		day := list[i].At.UTC().Truncate(24 * time.Hour)
		if !seen[day] {
			seen[day] = true
			days = append(days, day)
		}
	}
	return days
}

// Rollup sums up the readings of the hour that holds t, per job and GPU type.
// Doing it again gives the same rows.
func (d *DB) Rollup(ctx context.Context, cluster string, t time.Time) error {
	_, err := d.pool.Exec(ctx, qRollup, cluster, t.UTC().Truncate(time.Hour))
	return explain("rolling up GPU readings", err)
}
