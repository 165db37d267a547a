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
