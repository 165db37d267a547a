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

var qLast = sql.QueryText("job_estimate_last")

// LastEstimate returns the last estimate of a job that arrived at a moment; nil: there is none, or it
// has started.
func (s *Store) LastEstimate(ctx context.Context, cluster string, job policy.JobID, arrive time.Time) (*StoredEstimate, error) {
	var e StoredEstimate
	err := s.DB.QueryRow(ctx, qLast, cluster, int64(job), arrive).Scan(&e.MadeAt, &e.Start.Early, &e.Start.Middle, &e.Start.Late, &e.End.Early, &e.End.Middle, &e.End.Late)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	return &e, accounting.WrapError(fmt.Sprintf("reading the estimate of job %d", job), err)
}
