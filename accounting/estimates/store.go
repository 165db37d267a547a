// Package estimates keeps when jobs were thought to start and end, and what came of it.
package estimates

import (
	"context"
	"errors"
	"fmt"
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

// Score is how good estimates of starts and ends were in a partition in the last 30 days: of jobs that
// started, at the looks whose start seemed about so far ahead.
type Score struct {
	MoreThan    Seconds `json:"more_than_s"`         // ahead
	AtMost      Seconds `json:"at_most_s,omitempty"` // ahead; 0: without bound
	LookCount   int     `json:"looks"`
	HeldPart    float64 `json:"held"`  // 0..1, of starts that came within the band; 0.8 is meant
	EarlyPart   float64 `json:"early"` // of those before it
	LatePart    float64 `json:"late"`  // of those after it
	MedianError Seconds `json:"median_error_s"`
	// At the looks at which Slurm had an estimate, too: their count, our median error and Slurm's.
	WithSlurmCount       int     `json:"looks_with_slurm"`
	MedianErrorWithSlurm Seconds `json:"median_error_with_slurm_s"`
	SlurmMedianError     Seconds `json:"slurm_median_error_s"`
	// Of the ends of those looks whose job has ended: their count, and the same of their bands.
	EndCount       int     `json:"ends"`
	EndHeldPart    float64 `json:"end_held"`
	EndEarlyPart   float64 `json:"end_early"`
	EndLatePart    float64 `json:"end_late"`
	EndMedianError Seconds `json:"end_median_error_s"`
}

// Seconds is a time span in seconds.
type Seconds float64

// Duration returns the time span, to the second.
func (s Seconds) Duration() time.Duration {
	return policy.DurationFromSeconds(float64(s)).Round(time.Second)
}

var qScore = sql.QueryText("job_estimate_score")

// Score returns how good estimates of a partition were whose start seemed about so far ahead as that of
// a band which was estimated at a moment; nil: nothing is known yet.
func (s *Store) Score(ctx context.Context, cluster, partition string, madeAt time.Time, start estimate.Band) (*Score, error) {
	var out Score
	i := estimate.HorizonOf(start.Middle.Sub(madeAt))
	if i > 0 {
		out.MoreThan = Seconds(estimate.Horizons[i-1].Seconds())
	}
	if i < len(estimate.Horizons) {
		out.AtMost = Seconds(estimate.Horizons[i].Seconds())
	}
	err := s.DB.QueryRow(ctx, qScore, cluster, partition, i+1).Scan(&out.LookCount, &out.HeldPart, &out.EarlyPart, &out.LatePart,
		&out.MedianError, &out.WithSlurmCount, &out.MedianErrorWithSlurm, &out.SlurmMedianError,
		&out.EndCount, &out.EndHeldPart, &out.EndEarlyPart, &out.EndLatePart, &out.EndMedianError)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, accounting.WrapError("reading how good estimates of starts in partition "+partition+" were", err)
	}
	return &out, nil
}

// calibrationPeriod is how far back calibration looks.
const calibrationPeriod = 30 * 24 * time.Hour

// ReadCalibration returns how bands of a partition are to be moved, by what came of its estimates of the
// last 30 days, and how chances are to be corrected, by what came of its promises of the last half year.
func (s *Store) ReadCalibration(ctx context.Context, cluster, partition string, now time.Time) (*estimate.Calibration, error) {
	past, err := s.EstimateOutcomes(ctx, cluster, partition, now.Add(-calibrationPeriod))
	if err != nil {
		return nil, err
	}
	promises, err := s.promiseOutcomes(ctx, cluster, partition, now)
	if err != nil {
		return nil, err
	}
	c := estimate.NewCalibration(past, now)
	c.LearnPromises(promises)
	return c, nil
}

var (
	qPutPromises, qPromise = sql.QueryText("deadline_promises_put"), sql.QueryText("deadline_promise")
	qNoteDeadlines         = sql.QueryText("deadline_promises_note")
	qPromiseOutcomes       = sql.QueryText("deadline_promises_outcomes")
)

// Promise is what a job was told of its deadline when it was first seen, and what came of it.
type Promise struct {
	MadeAt   time.Time `json:"made"`
	Deadline time.Time `json:"deadline"`
	Chance   float64   `json:"chance"`  // of being done by it, 0 to 1
	Outcome  string    `json:"outcome"` // met, late, timeout, failed, cancelled, changed or open
}

// putPromises keeps what jobs are told of their deadlines at the first look at them, and that a deadline
// changed at a later one.
func (s *Store) putPromises(ctx context.Context, cluster string, madeAt time.Time, looks []Look) error {
	texts := func(of func(*Look) string) []string { return value.ColumnOf(looks, of) }
	deadlines := value.ColumnOf(looks, func(l *Look) *time.Time { return deadlineOf(l.Job) })
	_, err := s.DB.Exec(ctx, qPutPromises, cluster, madeAt,
		value.ColumnOf(looks, func(l *Look) int64 { return int64(l.Job.ID) }), value.ColumnOf(looks, func(l *Look) time.Time { return l.Job.Arrive }),
		texts(func(l *Look) string { return l.Job.User }), texts(func(l *Look) string { return l.Job.Account }), texts(func(l *Look) string { return l.Job.Partition }),
		deadlines, value.ColumnOf(looks, func(l *Look) bool { return l.Job.SoftDeadline }),
		value.ColumnOf(looks, func(l *Look) float64 { return l.Chance }), value.ColumnOf(looks, func(l *Look) float64 { return l.UncorrectedChance }))
	return accounting.WrapError("storing what jobs are told of their deadlines", err)
}

// NoteDeadlines keeps, of running jobs as a snapshot of a moment has them, that a deadline is not the one that was promised.
// What was due before stays as it came out.
func (s *Store) NoteDeadlines(ctx context.Context, cluster string, at time.Time, jobs []*policy.Job) error {
	_, err := s.DB.Exec(ctx, qNoteDeadlines, cluster, at,
		value.ColumnOf(jobs, func(j **policy.Job) int64 { return int64((*j).ID) }), value.ColumnOf(jobs, func(j **policy.Job) time.Time { return (*j).Arrive }),
		value.ColumnOf(jobs, func(j **policy.Job) *time.Time { return deadlineOf(*j) }))
	return accounting.WrapError("storing that deadlines of running jobs changed", err)
}

// deadlineOf is a job's deadline; nil: none.
func deadlineOf(j *policy.Job) *time.Time {
	if j.Deadline.IsZero() {
		return nil
	}
	return &j.Deadline
}

// Promise returns what a job that arrived at a moment was told of its deadline; nil: it had none when it was seen.
func (s *Store) Promise(ctx context.Context, cluster string, job policy.JobID, arrive time.Time) (*Promise, error) {
	var p Promise
	err := s.DB.QueryRow(ctx, qPromise, cluster, int64(job), arrive).Scan(&p.MadeAt, &p.Deadline, &p.Chance, &p.Outcome)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	p.MadeAt, p.Deadline = p.MadeAt.UTC(), p.Deadline.UTC()
	return &p, accounting.WrapError(fmt.Sprintf("reading what job %d was told of its deadline", job), err)
}

// promisePeriod is how far back correcting of promises looks: fewer jobs have deadlines than estimates.
const promisePeriod = 180 * 24 * time.Hour

// promiseOutcomes returns what came of the promises of a partition whose deadline is past, the oldest first. Those that nothing
// is said by are left out: jobs that were cancelled, or whose deadline changed.
func (s *Store) promiseOutcomes(ctx context.Context, cluster, partition string, now time.Time) ([]estimate.PromiseOutcome, error) {
	list, err := accounting.CollectRows(ctx, s.DB, func(row pgx.CollectableRow) (o estimate.PromiseOutcome, err error) {
		return o, row.Scan(&o.Uncorrected, &o.IsMet)
	}, qPromiseOutcomes, cluster, partition, now.Add(-promisePeriod), now, estimate.MaxPromises)
	return list, accounting.WrapError("reading what came of promises in partition "+partition, err)
}

// StoredEstimate is when a job that never ran is thought to start and end, as of a moment.
type StoredEstimate struct {
	MadeAt time.Time     `json:"made"`
	Start  estimate.Band `json:"start"`
	End    estimate.Band `json:"end"`
}

// times are the columns of an estimate.
func (e *StoredEstimate) times() []*time.Time {
	return []*time.Time{&e.MadeAt, &e.Start.Early, &e.Start.Middle, &e.Start.Late, &e.End.Early, &e.End.Middle, &e.End.Late}
}

// scan reads an estimate from a row whose first columns are others.
func (e *StoredEstimate) scan(row pgx.Row, first ...any) error {
	for _, t := range e.times() {
		first = append(first, t)
	}
	err := row.Scan(first...)
	for _, t := range e.times() {
		*t = t.UTC()
	}
	return err
}

var qLast, qLastOfAll = sql.QueryText("job_estimate_last"), sql.QueryText("job_estimates_last")

// LastEstimate returns the last estimate of a job that arrived at a moment; nil: there is none, or it
// has started.
func (s *Store) LastEstimate(ctx context.Context, cluster string, job policy.JobID, arrive time.Time) (*StoredEstimate, error) {
	var e StoredEstimate
	err := e.scan(s.DB.QueryRow(ctx, qLast, cluster, int64(job), arrive))
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	return &e, accounting.WrapError(fmt.Sprintf("reading the estimate of job %d", job), err)
}

// JobEstimate is an estimate of one job, by its id and arrival.
type JobEstimate struct {
	StoredEstimate
	Job    policy.JobID
	Arrive time.Time
}

// LastEstimates returns the last estimate, made since a moment, of every job of a partition ("": of all)
// that has not started.
func (s *Store) LastEstimates(ctx context.Context, cluster, partition string, since time.Time) ([]JobEstimate, error) {
	list, err := accounting.CollectRows(ctx, s.DB, func(row pgx.CollectableRow) (e JobEstimate, err error) {
		err = e.scan(row, &e.Job, &e.Arrive)
		return e, err
	}, qLastOfAll, cluster, partition, since)
	return list, accounting.WrapError("reading the estimates of waiting jobs", err)
}
