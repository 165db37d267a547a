package runs

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"fairbridge/accounting"
	"fairbridge/bridge"
	"fairbridge/sql"
)

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
