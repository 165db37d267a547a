package estimates

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"fairbridge/accounting"
	"fairbridge/bridge/estimate"
	"fairbridge/policy"
	"fairbridge/sql"
)

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
