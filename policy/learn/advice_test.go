package learn_test

import (
	"testing"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/learn"
)

// TestSummarizeEarlier: only runs on as many GPUs count, and a shorter limit is advised where all of enough runs had ended by themselves
// long before.
func TestSummarizeEarlier(t *testing.T) {
	run := func(gpus int, minutes, limit time.Duration) learn.EarlierRun {
		return learn.EarlierRun{GPUs: gpus, Ran: minutes * time.Minute, Limit: limit * time.Hour, End: time.Unix(int64(minutes), 0)}
	}
	short := []learn.EarlierRun{run(2, 50, 24), run(2, 30, 24), run(8, 900, 24), run(2, 61, 24), run(2, 40, 24), run(2, 45, 24)}
	for name, c := range map[string]struct {
		runs  []learn.EarlierRun
		limit time.Duration
		want  learn.EarlierSummary
	}{
		"enough":            {short, 24 * time.Hour, learn.EarlierSummary{Count: 5, Since: time.Unix(50, 0), Median: 45 * time.Minute, Longest: 61 * time.Minute, EnoughLimit: 80 * time.Minute}},
		"a limit that fits": {short, 160 * time.Minute, learn.EarlierSummary{Count: 5, Since: time.Unix(50, 0), Median: 45 * time.Minute, Longest: 61 * time.Minute}},
		"no limit":          {short, 0, learn.EarlierSummary{Count: 5, Since: time.Unix(50, 0), Median: 45 * time.Minute, Longest: 61 * time.Minute}},
		"too few":           {short[:3], 24 * time.Hour, learn.EarlierSummary{Count: 2, Since: time.Unix(50, 0), Median: 30 * time.Minute, Longest: 50 * time.Minute}},
		"one cut off":       {append(short[:5:5], run(2, 60, 1)), 24 * time.Hour, learn.EarlierSummary{Count: 5, Since: time.Unix(50, 0), Median: 50 * time.Minute, Longest: 61 * time.Minute}},
		"of another size":   {short[2:3], 24 * time.Hour, learn.EarlierSummary{}},
	} {
		got, ok := learn.SummarizeEarlier(c.runs, &policy.Job{Limit: c.limit, Ask: policy.Ask{GPUs: policy.GPUs{Count: 2}}})
		if got != c.want || ok != (c.want.Count > 0) {
			t.Errorf("%s: %+v, %v, want %+v", name, got, ok, c.want)
		}
	}
}
