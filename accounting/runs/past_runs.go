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

var qReplayRuns = sql.QueryText("replay_runs")

// PastRuns returns the runs of a partition that held GPUs at some time from
// since to until, job by job.
func (s *Store) PastRuns(ctx context.Context, cluster, partition string, since, until time.Time) ([]bridge.PastRun, error) {
	list, err := accounting.CollectRows(ctx, s.DB, pgx.RowToStructByPos[bridge.PastRun], qReplayRuns, cluster, partition, since, until)
	return list, accounting.WrapError(fmt.Sprintf("reading the runs of partition %s", partition), err)
}
