package journal

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"fairbridge/accounting"
	"fairbridge/accounting/internal/value"
	"fairbridge/policy"
	"fairbridge/sql"
)

// QueueRow is one job in the queue as of the last cycle.
type QueueRow struct {
	Partition string       `json:"partition"`
	Rank      int          `json:"rank"`
	JobID     policy.JobID `json:"job"`
	Name      string       `json:"name"`
	User      string       `json:"user"`
	Account   string       `json:"account"`
	State     string       `json:"state"`
	Reason    string       `json:"reason"`
	GPUs      int          `json:"gpus"`
	Verb      policy.Verb  `json:"verb"`
	Placement string       `json:"on,omitempty"`
	Why       string       `json:"why"`
	Arrive    time.Time    `json:"arrive,omitzero"`
	Start     time.Time    `json:"start,omitzero"`
}

var qQueue, qCycleLast = sql.QueryText("queue"), sql.QueryText("cycle_last")

// Queue returns the decisions of the last cycle in the order of their ranks,
// of one partition or, with "", of all.
func (s *Store) Queue(ctx context.Context, cluster, partition string) ([]QueueRow, error) {
	out, err := accounting.CollectRows(ctx, s.DB, func(row pgx.CollectableRow) (q QueueRow, err error) {
		var arrive, start *time.Time
		var gpus *int
		err = row.Scan(&q.Partition, &q.Rank, &q.JobID, &q.Name, &q.User, &q.Account, &q.State, &q.Reason, &gpus, &q.Verb, &q.Placement, &q.Why, &arrive, &start)
		if gpus != nil {
			q.GPUs = *gpus
		}
		q.Arrive, q.Start = value.TimeOrZero(arrive), value.TimeOrZero(start)
		return q, err
	}, qQueue, cluster, partition)
	return out, accounting.WrapError("reading the queue", err)
}

// LastCycleAt returns when the last cycle was that is stored, of one partition or, with "",
// of any; ok is false when none is.
func (s *Store) LastCycleAt(ctx context.Context, cluster, partition string) (at time.Time, ok bool, err error) {
	err = s.DB.QueryRow(ctx, qCycleLast, cluster, partition).Scan(&at)
	if errors.Is(err, pgx.ErrNoRows) {
		return time.Time{}, false, nil
	}
	return at.UTC(), err == nil, accounting.WrapError("asking when the last cycle of cluster "+cluster+" was", err)
}
