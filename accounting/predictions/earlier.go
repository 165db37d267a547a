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

// EarlierRuns is what earlier runs of a job that comes again, on as many GPUs, say of it: those of its user whose name is
// the same, or else differs in counters only.
type EarlierRuns struct {
	Count          int       `json:"count"`
	Since          time.Time `json:"since"` // when the first of them ended
	MedianSeconds  float64   `json:"median_s"`
	LongestSeconds float64   `json:"longest_s"`
	// EnoughLimitSeconds is a time limit that would have done for all of them, where the job asks for more than twice that;
	// 0: none is advised.
	EnoughLimitSeconds float64 `json:"enough_limit_s,omitempty"`
	// InTimeCount is how many of them were short enough for its deadline, did it start now; nil: it runs, or has none.
	InTimeCount *int `json:"in_time,omitempty"`
}

// maxUserJobs is how many jobs of a user are looked through, the last.
const maxUserJobs = 2000

var qUserRuns = sql.QueryText("runs_of_user")

// EarlierRuns returns what earlier runs of the last half year say of a job; nil: none on as many GPUs is known. Those of jobs
// that were cancelled, preempted, or lost their node say nothing of how long it takes, and those of accounts that may not be seen are not told.
func (s *Store) EarlierRuns(ctx context.Context, cluster string, j *policy.Job, now time.Time, isSeen func(account string) bool) (*EarlierRuns, error) {
	runs, err := s.readEarlierRuns(ctx, cluster, j, now, isSeen)
	if err != nil {
		return nil, accounting.WrapError("reading earlier runs of jobs of "+j.User, err)
	}
	e, ok := learn.SummarizeEarlier(runs, j)
	if !ok {
		return nil, nil
	}
	out := &EarlierRuns{Count: len(e.RunTimes), Since: e.Since.UTC(), MedianSeconds: e.Median().Seconds(), LongestSeconds: e.Longest().Seconds(), EnoughLimitSeconds: e.EnoughLimit.Seconds()}
	if !j.HoldsGPUs() && !j.Deadline.IsZero() {
		n := e.CountWithin(j.Deadline.Sub(now))
		out.InTimeCount = &n
	}
	return out, nil
}

// readEarlierRuns reads the runs by which the job is recognised, the oldest first.
func (s *Store) readEarlierRuns(ctx context.Context, cluster string, j *policy.Job, now time.Time, isSeen func(account string) bool) ([]learn.EarlierRun, error) {
	rows, err := s.DB.Query(ctx, qUserRuns, cluster, value.ValidText(j.User), now.Add(-learnedHistory), maxUserJobs)
	if err != nil {
		return nil, err
	}
	var known learn.Recurring
	r := learn.Run{Job: learn.Job{User: j.User}}
	var limit, ran float64
	_, err = pgx.ForEachRow(rows, []any{&r.Name, &r.Account, &r.GPUs, &limit, &ran, &r.End}, func() error {
		if !isSeen(r.Account) {
			return nil
		}
		r.Limit, r.Ran = policy.DurationFromSeconds(limit), policy.DurationFromSeconds(ran)
		known.AddRun(&r)
		return nil
	})
	return known.EarlierRuns(j), err
}
