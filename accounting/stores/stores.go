// Package stores opens what is kept in one database, subject by subject.
package stores

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"fairbridge/accounting"
	"fairbridge/accounting/estimates"
	"fairbridge/accounting/guard"
	"fairbridge/accounting/journal"
	"fairbridge/accounting/operations"
	"fairbridge/accounting/predictions"
	"fairbridge/accounting/reminders"
	"fairbridge/accounting/report"
	"fairbridge/accounting/runs"
	"fairbridge/accounting/samples"
	"fairbridge/accounting/speeds"
	"fairbridge/accounting/studies"
	"fairbridge/bridge"
	"fairbridge/sql"
)

// The stores by subject, as fields of Stores.
type (
	Journal     = journal.Store
	Runs        = runs.Store
	Samples     = samples.Store
	Predictions = predictions.Store
	Estimates   = estimates.Store
	Guard       = guard.Store
	Operations  = operations.Store
	Speeds      = speeds.Store
	Reports     = report.Store
	Reminders   = reminders.Store
	Studies     = studies.Store
)

// Stores are all stores of one database. They fill every port of package bridge
// that looks at the past.
type Stores struct {
	*accounting.DB
	*Journal
	*Runs
	*Samples
	*Predictions
	*Estimates
	*Guard
	*Operations
	*Speeds
	*Reports
	*Reminders
	*Studies
}

// Open opens the database and all its stores, as accounting.Open does.
func Open(ctx context.Context, c accounting.Config) (*Stores, error) {
	db, err := accounting.Open(ctx, c)
	if err != nil {
		return nil, err
	}
	return New(db), nil
}

// New makes all stores of a database.
func New(db *accounting.DB) *Stores {
	p := &predictions.Store{DB: db}
	v := &speeds.Store{DB: db}
	return &Stores{db, &journal.Store{DB: db}, &runs.Store{DB: db, Predictions: p, Speeds: v}, &samples.Store{DB: db}, p, &estimates.Store{DB: db}, &guard.Store{DB: db}, &operations.Store{DB: db}, v, &report.Store{DB: db}, &reminders.Store{DB: db}, &studies.Store{DB: db}}
}

var (
	_ bridge.Journal         = (*Stores)(nil)
	_ bridge.Leadership      = (*Stores)(nil)
	_ bridge.History         = (*Stores)(nil)
	_ bridge.ExpirerStatus   = (*Stores)(nil)
	_ bridge.LeaderWatch     = (*Stores)(nil)
	_ bridge.Demotions       = (*Stores)(nil)
	_ bridge.OperatorActions = (*Stores)(nil)
)

// Retention says how long what is kept; zero keeps for good. Sums by day, user and account are kept for good.
type Retention struct {
	Readings         time.Duration // raw GPU readings; whole days
	Snapshots        time.Duration // a cycle without one can no longer be replayed
	Cycles           time.Duration // and the history of decisions, and studies
	Intents          time.Duration // closed ones, and what operators did that does not stand
	NeverStartedJobs time.Duration // jobs that never started
	Jobs             time.Duration // runs of jobs that ended, with what was measured of each
}

// DefaultRetention keeps raw material for days, answers for a year, and jobs for good.
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
		{"prune_intents", r.Intents}, {"prune_runs", r.NeverStartedJobs}, {"prune_estimates", r.Cycles}, {"prune_job_estimates", r.Cycles}, {"prune_deadline_promises", r.Cycles}, {"prune_guard_checks", r.Cycles}, {"prune_operator_actions", r.Intents}, {"prune_speeds", r.Cycles}, {"prune_restarts", r.Cycles}, {"prune_losses", r.Readings}, {"prune_profiles", r.Cycles}, {"prune_idle_messages", r.Cycles}, {"prune_studies", r.Cycles},
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
	if err != nil || r.Jobs <= 0 {
		return rows, accounting.WrapError("dropping old GPU readings", err)
	}
	n, err := s.pruneJobs(ctx, cluster, now.Add(-r.Jobs).UTC().Truncate(24*time.Hour))
	return rows + n, accounting.WrapError("forgetting old jobs", err)
}

// pruneJobs forgets the runs of jobs that ended before a day. First the sums of the days until then are frozen: they
// were made of runs that go. Where one is not summed up yet nothing is forgotten; another time it will be.
func (s *Stores) pruneJobs(ctx context.Context, cluster string, before time.Time) (rows int64, err error) {
	var through time.Time
	err = s.QueryRow(ctx, sql.QueryText("prune_jobs_freeze"), cluster, before.AddDate(0, 0, -1)).Scan(&through)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, nil
	} else if err != nil {
		return 0, err
	}
	return s.ExecUntilNone(ctx, sql.QueryText("prune_jobs"), cluster, before)
}
