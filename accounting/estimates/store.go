// Package estimates keeps when jobs were thought to start and end, and what came of it.
package estimates

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"fairbridge/accounting"
	"fairbridge/accounting/internal/value"
	"fairbridge/bridge/estimate"
	"fairbridge/policy"
	"fairbridge/sql"
)

// Store keeps estimates in a database. It is safe for concurrent use.
type Store struct {
	DB *accounting.DB
}

// Look is an estimate of one waiting job.
type Look struct {
	Job      *policy.Job       // as the snapshot had it
	Raw      estimate.Estimate // before calibration
	Estimate estimate.Estimate // calibrated
	// IsRenewed: it takes the place of what was stored of the job in the same hour.
	IsRenewed bool
	// Of a job with a deadline: how likely it is done by then, as its owner is told, and before earlier promises corrected
	// that (estimate.Chances). 0: not known, and no promise.
	Chance, UncorrectedChance float64
}

var qPut, qOutcomes = sql.QueryText("job_estimates_put"), sql.QueryText("job_estimates_outcomes")

// PutEstimates stores looks made at a moment, renewed ones in the place of the last, and what jobs with
// deadlines are told. The same ones again change nothing.
func (s *Store) PutEstimates(ctx context.Context, cluster string, madeAt time.Time, looks []Look) error {
	times := func(of func(*Look) time.Time) []time.Time { return value.ColumnOf(looks, of) }
	texts := func(of func(*Look) string) []string { return value.ColumnOf(looks, of) }
	slurm := value.ColumnOf(looks, func(l *Look) *time.Time {
		if l.Job.SlurmStartEstimate.IsZero() {
			return nil
		}
		return &l.Job.SlurmStartEstimate
	})
	_, err := s.DB.Exec(ctx, qPut, cluster, madeAt,
		value.ColumnOf(looks, func(l *Look) int64 { return int64(l.Job.ID) }), times(func(l *Look) time.Time { return l.Job.Arrive }),
		texts(func(l *Look) string { return l.Job.User }), texts(func(l *Look) string { return l.Job.Account }), texts(func(l *Look) string { return l.Job.Partition }),
		times(func(l *Look) time.Time { return l.Raw.Start.Early }), times(func(l *Look) time.Time { return l.Raw.Start.Late }),
		times(func(l *Look) time.Time { return l.Estimate.Start.Early }), times(func(l *Look) time.Time { return l.Estimate.Start.Middle }), times(func(l *Look) time.Time { return l.Estimate.Start.Late }),
		times(func(l *Look) time.Time { return l.Estimate.End.Early }), times(func(l *Look) time.Time { return l.Estimate.End.Middle }), times(func(l *Look) time.Time { return l.Estimate.End.Late }), slurm,
		times(func(l *Look) time.Time { return l.Raw.End.Early }), times(func(l *Look) time.Time { return l.Raw.End.Late }),
		value.ColumnOf(looks, func(l *Look) bool { return l.IsRenewed }))
	if err != nil {
		return accounting.WrapError("storing estimates of starts and ends", err)
	}
	return s.putPromises(ctx, cluster, madeAt, looks)
}

// EstimateOutcomes returns the last looks at the jobs of a partition made since a moment, and what
// came of them, oldest first. Jobs that left without a start are left out.
func (s *Store) EstimateOutcomes(ctx context.Context, cluster, partition string, since time.Time) ([]estimate.Outcome, error) {
	list, err := accounting.CollectRows(ctx, s.DB, scanOutcome, qOutcomes, cluster, partition, since)
	return list, accounting.WrapError("reading what came of estimates of starts in partition "+partition, err)
}

func scanOutcome(row pgx.CollectableRow) (o estimate.Outcome, err error) {
	var started, ended *time.Time
	err = row.Scan(&o.MadeAt, &o.Start.Early, &o.Start.Middle, &o.Start.Late, &started, &o.End.Early, &o.End.Middle, &o.End.Late, &ended)
	if started != nil {
		o.Started = *started
	}
	if ended != nil {
		o.Ended = *ended
	}
	if o.End.Late.Unix() == 0 { // a look from before ends were calibrated
		o.End = estimate.Band{}
	}
	return o, err
}
