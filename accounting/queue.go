package accounting

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"fairbridge/policy"
	"fairbridge/sql"
)

// QueueRow is one job in the queue as of the last cycle.
type QueueRow struct {
	Partition string       `json:"partition"`
	Rank      int          `json:"rank"`
	Job       policy.JobID `json:"job"`
	Name      string       `json:"name"`
	User      string       `json:"user"`
	Account   string       `json:"account"`
	State     string       `json:"state"`
	Reason    string       `json:"reason"`
	GPUs      int          `json:"gpus"`
	Verb      policy.Verb  `json:"verb"`
	On        string       `json:"on,omitempty"`
	Why       string       `json:"why"`
	Arrive    time.Time    `json:"arrive,omitzero"`
	Start     time.Time    `json:"start,omitzero"`
}

var qQueue = sql.Query("queue")

// Queue returns the decisions of the last cycle in the order of their ranks,
// of one partition or, with "", of all.
func (d *DB) Queue(ctx context.Context, cluster, partition string) ([]QueueRow, error) {
	rows, err := d.pool.Query(ctx, qQueue, cluster, partition)
	if err != nil {
		return nil, explain("reading the queue", err)
	}
	out, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (q QueueRow, err error) {
		var arrive, start *time.Time
		var gpus *int
		err = row.Scan(&q.Partition, &q.Rank, &q.Job, &q.Name, &q.User, &q.Account, &q.State, &q.Reason, &gpus, &q.Verb, &q.On, &q.Why, &arrive, &start)
		if gpus != nil {
			q.GPUs = *gpus
		}
		q.Arrive, q.Start = orZero(arrive), orZero(start)
		return q, err
	})
	return out, explain("reading the queue", err)
}
