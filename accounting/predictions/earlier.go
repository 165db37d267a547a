package predictions

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"fairbridge/accounting"
	"fairbridge/accounting/internal/value"
	"fairbridge/policy"
	"fairbridge/policy/learn"
	"fairbridge/sql"
)

// maxUserJobs is how many jobs of a user are looked through, the last.
const maxUserJobs = 2000

var qUserRuns = sql.QueryText("runs_of_user")

// EarlierRuns returns the earlier runs of a job that comes again, the oldest first, of the last half year; see
// learn.Recurring. Those of jobs that were cancelled, preempted, or lost their node say nothing of how long it takes.
func (s *Store) EarlierRuns(ctx context.Context, cluster string, j *policy.Job, now time.Time) ([]learn.EarlierRun, error) {
	rows, err := s.DB.Query(ctx, qUserRuns, cluster, value.ValidText(j.User), now.Add(-learnedHistory), maxUserJobs)
	if err != nil {
		return nil, accounting.WrapError("reading earlier runs of jobs of "+j.User, err)
	}
	var known learn.Recurring
	r := learn.Run{Job: learn.Job{User: j.User}}
	var limit, ran float64
	_, err = pgx.ForEachRow(rows, []any{&r.Name, &r.GPUs, &limit, &ran, &r.End}, func() error {
		r.Limit, r.Ran = policy.DurationFromSeconds(limit), policy.DurationFromSeconds(ran)
		known.AddRun(&r, 0)
		return nil
	})
	return known.EarlierRuns(j), accounting.WrapError("reading earlier runs of jobs of "+j.User, err)
}
