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
		runs                   []learn.EarlierRun
		limit                  time.Duration
		count, median, longest int // in minutes
		enough                 time.Duration
	}{
		"enough":            {short, 24 * time.Hour, 5, 45, 61, 80 * time.Minute},
		"a limit that fits": {short, 160 * time.Minute, 5, 45, 61, 0},
		"no limit":          {short, 0, 5, 45, 61, 0},
		"too few":           {short[:3], 24 * time.Hour, 2, 30, 50, 0},
		"one cut off":       {append(short[:5:5], run(2, 60, 1)), 24 * time.Hour, 5, 50, 61, 0},
		"of another size":   {short[2:3], 24 * time.Hour, 0, 0, 0, 0},
	} {
		got, ok := learn.SummarizeEarlier(c.runs, &policy.Job{Limit: c.limit, Ask: policy.Ask{GPUs: policy.GPUs{Count: 2}}})
		if ok != (c.count > 0) {
			t.Errorf("%s: %v", name, ok)
		}
		if !ok {
			continue
		}
		minutes := func(d time.Duration) int { return int(d / time.Minute) }
		if len(got.RunTimes) != c.count || minutes(got.Median()) != c.median || minutes(got.Longest()) != c.longest || got.EnoughLimit != c.enough || got.Since.Unix() != 50 {
			t.Errorf("%s: %+v", name, got)
		}
		if got.CountWithin(got.Longest()) != c.count || got.CountWithin(got.Longest()-1) != c.count-1 || got.CountWithin(-time.Hour) != 0 {
			t.Errorf("%s: %d, %d and %d within the longest, less than that, and nothing", name, got.CountWithin(got.Longest()), got.CountWithin(got.Longest()-1), got.CountWithin(-time.Hour))
		}
	}
}
