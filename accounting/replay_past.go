package accounting

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"fairbridge/bridge"
	"fairbridge/policy"
	"fairbridge/sql"
)

// PastRun is one run of a job of the past.
type PastRun struct {
	Job        policy.JobID
	Arrive     time.Time // first submission of the job
	Start, End time.Time // End of a run under way is the last view
	Closed     bool      // it is not under way
	Name, User string
	Account    string
	QOS, State string
	GPUs       int
	Limit      float64  // seconds; 0: none
	Types      []string // of the GPUs it held, sorted
	Nodes      int      // on which it held GPUs
	Stopped    bool     // by a requeue of ours
}

// Steering is how many cycles of the past a mode and policy decided.
type Steering struct {
	Mode           bridge.Mode
	Policy, Params string
	Cycles, Pushed int64 // Pushed counts edits
}

var qReplayRuns, qReplaySteered = sql.Query("replay_runs"), sql.Query("replay_steered")

// PastRuns returns the runs of a partition that held GPUs at some time from
// since to until, job by job.
func (d *DB) PastRuns(ctx context.Context, cluster, partition string, since, until time.Time) ([]PastRun, error) {
	rows, err := d.pool.Query(ctx, qReplayRuns, cluster, partition, since, until)
	if err == nil {
		var list []PastRun
		if list, err = pgx.CollectRows(rows, pgx.RowToStructByPos[PastRun]); err == nil {
			return list, nil
		}
	}
	return nil, explain(fmt.Sprintf("reading the runs of partition %s", partition), err)
}

// Steered returns who decided about a partition from since to until, most
// cycles first.
func (d *DB) Steered(ctx context.Context, cluster, partition string, since, until time.Time) ([]Steering, error) {
	rows, err := d.pool.Query(ctx, qReplaySteered, cluster, partition, since, until)
	if err == nil {
		var list []Steering
		if list, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Steering]); err == nil {
			return list, nil
		}
	}
	return nil, explain(fmt.Sprintf("reading who steered partition %s", partition), err)
}
