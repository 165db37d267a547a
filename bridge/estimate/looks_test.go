package estimate_test

import (
	"slices"
	"testing"
	"time"

	"fairbridge/bridge/estimate"
	"fairbridge/policy"
)

func TestLooksAreDueAtFirstAndEveryHour(t *testing.T) {
	held, again := waiting(3, 1, time.Hour, time.Hour), waiting(4, 1, time.Hour, time.Hour)
	held.HeldReason, again.FirstStart = "its user holds it", noon.Add(-time.Hour)
	s := scene(running(1, "n1", 8, time.Hour, time.Minute, time.Hour), waiting(2, 1, time.Hour, time.Hour), held, again)
	var times estimate.LookTimes
	for i, c := range []struct {
		at      time.Duration
		isDue   bool
		isFirst bool
	}{{20 * time.Minute, true, true}, {59 * time.Minute, false, false}, {61 * time.Minute, true, false}, {62 * time.Minute, false, false}, {2 * time.Hour, true, false}} {
		s.Now = noon.Add(c.at)
		due := times.TakeDue(s)
		isFirst, isDue := due[2]
		if isDue != c.isDue || isFirst != c.isFirst || len(due) > 1 {
			t.Errorf("look %d at %v: due %v", i, c.at, due)
		}
	}
	times.TakeDue(scene())
	if due := times.TakeDue(s); !due[2] {
		t.Error("a job that was away is not looked at as a new one")
	}
}

func TestLineOfPlan(t *testing.T) {
	p := &policy.Plan{Decisions: []policy.Decision{{Job: 1, Rank: 2}, {Job: 5, Rank: 1}, {Job: 7, Rank: 3}}}
	if got := estimate.LineOfPlan(p); !slices.Equal(got, []policy.JobID{5, 1, 7}) {
		t.Errorf("%v", got)
	}
}
