package accounting

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"fairbridge/bridge"
	"fairbridge/sql"
)

var qReplayRuns, qReplaySteered = sql.Query("replay_runs"), sql.Query("replay_steered")

// PastRuns returns the runs of a partition that held GPUs at some time from
// since to until, job by job.
func (d *DB) PastRuns(ctx context.Context, cluster, partition string, since, until time.Time) ([]bridge.PastRun, error) {
	rows, err := d.pool.Query(ctx, qReplayRuns, cluster, partition, since, until)
	if err == nil {
		var list []bridge.PastRun
		if list, err = pgx.CollectRows(rows, pgx.RowToStructByPos[bridge.PastRun]); err == nil {
			return list, nil
		}
	}
	return nil, explain(fmt.Sprintf("reading the runs of partition %s", partition), err)
}

// Steered returns who decided about a partition from since to until, most
// cycles first.
func (d *DB) Steered(ctx context.Context, cluster, partition string, since, until time.Time) ([]bridge.Steering, error) {
	rows, err := d.pool.Query(ctx, qReplaySteered, cluster, partition, since, until)
	if err == nil {
		var list []bridge.Steering
		if list, err = pgx.CollectRows(rows, pgx.RowToStructByPos[bridge.Steering]); err == nil {
			return list, nil
		}
	}
	return nil, explain(fmt.Sprintf("reading who steered partition %s", partition), err)
}
