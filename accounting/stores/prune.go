package stores

import (
	"context"
	"time"

	"fairbridge/accounting"
	"fairbridge/sql"
)

// Retention says how long what is kept. Usage (runs that held something, their
// segments, hourly GPU use) is kept for good.
type Retention struct {
	Readings         time.Duration // raw GPU readings; whole days
	Snapshots        time.Duration // a cycle without one can no longer be replayed
	Cycles           time.Duration // and the history of decisions
	Intents          time.Duration // closed ones, and what operators did that does not stand
	NeverStartedJobs time.Duration // jobs that never started
}

// DefaultRetention keeps raw material for days and answers for a year.
func DefaultRetention() Retention {
	const day = 24 * time.Hour
	return Retention{Readings: 14 * day, Snapshots: 14 * day, Cycles: 365 * day, Intents: 365 * day, NeverStartedJobs: 365 * day}
}

// Prune forgets what is past its retention as of now, some rows at a time, and
// returns how many rows went. A zero duration keeps for good.
func (s *Stores) Prune(ctx context.Context, cluster string, now time.Time, r Retention) (rows int64, err error) {
	for _, p := range []struct {
		query string
		keep  time.Duration
	}{
		{"prune_snapshots", r.Snapshots}, {"prune_cycles", r.Cycles}, {"prune_decisions", r.Cycles},
		{"prune_intents", r.Intents}, {"prune_runs", r.NeverStartedJobs}, {"prune_estimates", r.Cycles}, {"prune_job_estimates", r.Cycles}, {"prune_deadline_promises", r.Cycles}, {"prune_guard_checks", r.Cycles}, {"prune_operator_actions", r.Intents}, {"prune_speeds", r.Cycles}, {"prune_restarts", r.Cycles}, {"prune_losses", r.Readings}, {"prune_profiles", r.Cycles}, {"prune_idle_messages", r.Cycles},
	} {
		if p.keep <= 0 {
			continue
		}
		n, err := s.ExecUntilNone(ctx, sql.QueryText(p.query), cluster, now.Add(-p.keep))
		rows += n
		if err != nil {
			return rows, accounting.WrapError("forgetting old rows ("+p.query+")", err)
		}
	}
	if r.Readings > 0 {
		_, err = s.Exec(ctx, "select fairbridge.drop_sample_days($1)", now.Add(-r.Readings).UTC().Truncate(24*time.Hour))
	}
	return rows, accounting.WrapError("dropping old GPU readings", err)
}
