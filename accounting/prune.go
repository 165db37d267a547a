package accounting

import (
	"context"
	"time"

	"fairbridge/sql"
)

// Retention says how long what is kept. Usage (runs that held something, their
// segments, hourly GPU use) is kept for good.
type Retention struct {
	Readings  time.Duration // raw GPU readings; whole days
	Snapshots time.Duration // a cycle without one can no longer be replayed
	Cycles    time.Duration // and the history of decisions
	Intents   time.Duration // closed ones
	Waits     time.Duration // jobs that never started
}

// DefaultRetention keeps raw material for days and answers for a year.
func DefaultRetention() Retention {
	const day = 24 * time.Hour
	return Retention{Readings: 14 * day, Snapshots: 14 * day, Cycles: 365 * day, Intents: 365 * day, Waits: 365 * day}
}

// maxBatches bounds how many statements of Prune run per table; each touches
// some thousand rows, so that no lock is held for long. The rest goes next time.
const maxBatches = 1000

// Prune forgets what is past its retention as of now, some rows at a time, and
// returns how many rows went. A zero duration keeps for good.
func (d *DB) Prune(ctx context.Context, cluster string, now time.Time, r Retention) (rows int64, err error) {
	for _, p := range []struct {
		query string
		keep  time.Duration
	}{
		{"prune_snapshots", r.Snapshots}, {"prune_cycles", r.Cycles}, {"prune_decisions", r.Cycles},
		{"prune_intents", r.Intents}, {"prune_runs", r.Waits}, {"prune_estimates", r.Cycles},
	} {
		if p.keep <= 0 {
			continue
		}
		n, err := d.prune(ctx, sql.Query(p.query), cluster, now.Add(-p.keep))
		rows += n
		if err != nil {
			return rows, explain("forgetting old rows ("+p.query+")", err)
		}
	}
	if r.Readings > 0 {
		_, err = d.pool.Exec(ctx, "select fairbridge.drop_sample_days($1)", now.Add(-r.Readings).UTC().Truncate(24*time.Hour))
	}
	return rows, explain("dropping old GPU readings", err)
}

func (d *DB) prune(ctx context.Context, query, cluster string, before time.Time) (rows int64, err error) {
	for range maxBatches {
		tag, err := d.pool.Exec(ctx, query, cluster, before)
		rows += tag.RowsAffected()
		if err != nil || tag.RowsAffected() == 0 {
			return rows, err
		}
	}
	return rows, nil
}
