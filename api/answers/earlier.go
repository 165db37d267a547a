package answers

import (
	"context"
	"time"

	"fairbridge/api"
	"fairbridge/policy"
	"fairbridge/policy/learn"
)

// addEarlierRuns adds what earlier runs of a job that comes again say of it, to who may ask for its user.
func (e jobRequest) addEarlierRuns(ctx context.Context, j *policy.Job, now time.Time) {
	if e.Daemon.RecordError != "" || !e.mayAskInsteadOf(j) {
		return
	}
	_ = askBriefly(ctx, func(ctx context.Context) error { // an addition, and no reason to say nothing else
		runs, err := e.parts.Record.EarlierRuns(ctx, e.Cluster, j, now)
		e.Earlier = newEarlierRuns(runs, j, now)
		return err
	})
}

// newEarlierRuns sums up the runs; nil: none is of the job's size.
func newEarlierRuns(runs []learn.EarlierRun, j *policy.Job, now time.Time) *api.EarlierRuns {
	s, ok := learn.SummarizeEarlier(runs, j)
	if !ok {
		return nil
	}
	out := &api.EarlierRuns{Count: s.Count, Since: s.Since.UTC(), MedianSeconds: s.Median.Seconds(), LongestSeconds: s.Longest.Seconds(), EnoughLimitSeconds: s.EnoughLimit.Seconds()}
	if !j.HoldsGPUs() && !j.Deadline.IsZero() {
		inTime := 0
		for _, r := range runs {
			if r.GPUs == j.Ask.GPUs.Count && r.Ran > 0 && !now.Add(r.Ran).After(j.Deadline) {
				inTime++
			}
		}
		out.InTimeCount = &inTime
	}
	return out
}
