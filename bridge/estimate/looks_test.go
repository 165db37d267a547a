package estimate_test

import (
	"maps"
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
		at    time.Duration
		isDue bool
		want  estimate.DueLook
	}{{20 * time.Minute, true, estimate.FirstLook}, {59 * time.Minute, false, 0}, {61 * time.Minute, true, estimate.HourlyLook}, {62 * time.Minute, false, 0}, {2 * time.Hour, true, estimate.HourlyLook}} {
		s.Now = noon.Add(c.at)
		due := times.TakeDue(s)
		got, isDue := due[2]
		if isDue != c.isDue || got != c.want || len(due) > 1 {
			t.Errorf("look %d at %v: due %v", i, c.at, due)
		}
	}
	times.TakeDue(scene())
	if due := times.TakeDue(s); len(due) != 1 || due[2] != estimate.FirstLook {
		t.Error("a job that was away is not looked at as a new one")
	}
}

// The look at an array is about the tasks that it stands for: once some of them started it is renewed.
func TestALookIsRenewedWhenTasksStart(t *testing.T) {
	s := scene(waiting(2, 1, time.Hour, time.Hour))
	var times estimate.LookTimes
	for i, c := range []struct {
		tasks int
		at    time.Duration
		due   map[policy.JobID]estimate.DueLook
	}{
		{5, 0, map[policy.JobID]estimate.DueLook{2: estimate.FirstLook}}, {5, time.Minute, map[policy.JobID]estimate.DueLook{}},
		{4, 2 * time.Minute, map[policy.JobID]estimate.DueLook{2: estimate.RenewedLook}}, {4, 3 * time.Minute, map[policy.JobID]estimate.DueLook{}},
		{3, time.Hour, map[policy.JobID]estimate.DueLook{2: estimate.HourlyLook}},
	} {
		s.Now, s.Jobs[0].Tasks = noon.Add(c.at), c.tasks
		if due := times.TakeDue(s); !maps.Equal(due, c.due) {
			t.Errorf("look %d: %v, want %v", i, due, c.due)
		}
	}
}

func TestLineOfPlan(t *testing.T) {
	p := &policy.Plan{Decisions: []policy.Decision{{Job: 1, Rank: 2}, {Job: 5, Rank: 1}, {Job: 7, Rank: 3}}}
	if got := estimate.LineOfPlan(p); !slices.Equal(got, []policy.JobID{5, 1, 7}) {
		t.Errorf("%v", got)
	}
}
