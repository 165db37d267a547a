package runs

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"fairbridge/accounting"
	"fairbridge/accounting/internal/value"
	"fairbridge/bridge"
	"fairbridge/policy"
	"fairbridge/sql"
)

var qJobsPast, qFinished = sql.QueryText("jobs_past"), sql.QueryText("finished")

// maxFinishedJobs bounds how many finished jobs a snapshot carries.
const maxFinishedJobs = 2000

// Past returns usage and per-job history as of now, from one consistent state
// of the database.
func (s *Store) Past(ctx context.Context, cluster string, now time.Time) (*bridge.Past, error) {
	out := &bridge.Past{}
	err := s.DB.RunReadTx(ctx, "reading usage history", func(tx pgx.Tx) error {
		var err error
		if out.Users, out.Accounts, err = s.readUserUsage(ctx, tx, cluster, now); err != nil {
			return err
		}
		if out.PastByJob, err = readJobPasts(ctx, tx, cluster); err != nil {
			return err
		}
		if out.FinishedJobs, err = readFinishedJobs(ctx, tx, cluster); err != nil {
			return err
		}
		told, err := s.Speeds.ReadSpeeds(ctx, tx, cluster, now)
		if err != nil {
			return err
		}
		out.SpeedsOf, out.RestartCostOf, out.LossesOf, out.ProfileOf = told.SpeedsOf, told.RestartCostOf, told.LossesOf, told.ProfileOf
		if out.RequestsOf, err = s.Speeds.ReadRequests(ctx, tx, cluster, now); err != nil {
			return err
		}
		if out.UsualRequests, err = s.Speeds.ReadUsualRequests(ctx, tx, cluster, now); err != nil {
			return err
		}
		m, err := s.Predictions.ReadNewestModel(ctx, tx, cluster)
		out.PredictTimeLeft, out.PredictionTrust, out.GPUSpeeds = m.PredictTimeLeft, m.Trust, m.GPUSpeeds
		return err
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// readJobPasts returns the history of listed jobs that ran before.
func readJobPasts(ctx context.Context, tx pgx.Tx, cluster string) (map[int64]bridge.JobPast, error) {
	rows, err := tx.Query(ctx, qJobsPast, cluster)
	if err != nil {
		return nil, err
	}
	out := map[int64]bridge.JobPast{}
	var job int64
	var arrive time.Time
	var first, last *time.Time
	var attained float64
	var stops []time.Time
	_, err = pgx.ForEachRow(rows, []any{&job, &arrive, &first, &last, &attained, &stops}, func() error {
		p := bridge.JobPast{Arrive: arrive.UTC(), FirstStart: value.TimeOrZero(first), LastStop: value.TimeOrZero(last), Attained: policy.GPUSeconds(attained)}
		for _, t := range stops {
			p.RequeueTimes = append(p.RequeueTimes, t.UTC())
		}
		out[job] = p
		return nil
	})
	return out, err
}

func readFinishedJobs(ctx context.Context, tx pgx.Tx, cluster string) ([]policy.FinishedJob, error) {
	return accounting.CollectRows(ctx, tx, func(r pgx.CollectableRow) (s policy.FinishedJob, err error) {
		var ran, service float64
		err = r.Scan(&s.GPUs, &ran, &service)
		s.Ran, s.Service = policy.DurationFromSeconds(ran), policy.GPUSeconds(service)
		return s, err
	}, qFinished, cluster, maxFinishedJobs)
}

var qReplayRuns, qReplayUnstarted = sql.QueryText("replay_runs"), sql.QueryText("replay_unstarted")

// PastRuns returns the runs of a partition that held GPUs at some time from
// since to until, job by job.
func (s *Store) PastRuns(ctx context.Context, cluster, partition string, since, until time.Time) ([]bridge.PastRun, error) {
	list, err := accounting.CollectRows(ctx, s.DB, pgx.RowToStructByPos[bridge.PastRun], qReplayRuns, cluster, partition, since, until)
	return list, accounting.WrapError(fmt.Sprintf("reading the runs of partition %s", partition), err)
}

// CountUnstartedJobs returns how many GPU jobs of a partition that arrived from since to until
// never ran: those that wait still, and those that ended before they started.
func (s *Store) CountUnstartedJobs(ctx context.Context, cluster, partition string, since, until time.Time) (waiting, ended int, err error) {
	err = s.DB.QueryRow(ctx, qReplayUnstarted, cluster, partition, since, until).Scan(&waiting, &ended)
	return waiting, ended, accounting.WrapError(fmt.Sprintf("counting the jobs of partition %s that never ran", partition), err)
}
