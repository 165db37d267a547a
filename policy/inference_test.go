package policy_test

import (
	"testing"
	"time"

	"fairbridge/policy"
)

func TestPeakGPUs(t *testing.T) {
	now := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	s := policy.InferenceService{Name: "chat", OwnGPUs: 8, Forecast: []policy.DemandForecast{
		{From: now.Add(-2 * time.Hour), GPUs: 7}, {From: now.Add(-time.Hour), GPUs: 3}, {From: now.Add(time.Hour), GPUs: 6}, {From: now.Add(2 * time.Hour), GPUs: 5}}}
	for _, c := range []struct {
		from, length time.Duration
		want         int
	}{{0, 0, 3}, {0, 59 * time.Minute, 3}, {0, time.Hour, 6}, {90 * time.Minute, 0, 6}, {2 * time.Hour, 0, 5}, {9 * time.Hour, time.Hour, 5}, {-3 * time.Hour, time.Hour, 7}, {-9 * time.Hour, time.Hour, 0}} {
		if got := s.PeakGPUs(now.Add(c.from), c.length); got != c.want {
			t.Errorf("from %v for %v: %d GPUs, want %d", c.from, c.length, got, c.want)
		}
	}
	if got := (&policy.InferenceService{}).PeakGPUs(now, time.Hour); got != 0 {
		t.Errorf("without a forecast: %d", got)
	}
}

func TestCountReplicaGPUs(t *testing.T) {
	now := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	two := policy.Ask{GPUs: policy.GPUs{Count: 2}}
	s := &policy.Snapshot{Now: now, Jobs: []policy.Job{
		{ID: 1, ReplicaOf: "chat", State: policy.Running, On: policy.Alloc{{Node: "n1", Type: "g", Count: 2}}, Ask: two},
		{ID: 2, ReplicaOf: "chat", State: policy.Pending, Ask: two, Tasks: 3},
		{ID: 3, ReplicaOf: "chat", State: policy.Pending, Ask: two, HeldReason: "its owner holds it"},
		{ID: 4, ReplicaOf: "mail", State: policy.Running, On: policy.Alloc{{Node: "n1", Type: "g", Count: 2}}, Ask: two},
		{ID: 5, State: policy.Running, On: policy.Alloc{{Node: "n1", Type: "g", Count: 2}}, Ask: two},
	}}
	if held, waiting := s.CountReplicaGPUs("chat"); held != 2 || waiting != 6 {
		t.Errorf("%d held, %d waited for, want 2 and 6", held, waiting)
	}
	if held, waiting := s.CountReplicaGPUs(""); held+waiting != 0 {
		t.Errorf("jobs that are no replicas: %d and %d", held, waiting)
	}
}

func TestGreatestUsualRate(t *testing.T) {
	now := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	s := policy.ReplicaScaling{Usual: []policy.UsualRate{{From: now, PerSecond: 5}, {From: now.Add(time.Hour), PerSecond: 9}, {From: now.Add(2 * time.Hour), PerSecond: 3}}}
	for _, c := range []struct {
		from, to time.Duration
		want     float64
	}{{-2 * time.Hour, -time.Hour, 0}, {-time.Hour, 0, 5}, {0, 59 * time.Minute, 5}, {0, time.Hour, 9}, {time.Hour, time.Hour, 9}, {2 * time.Hour, 2 * time.Hour, 3}, {5 * time.Hour, 9 * time.Hour, 3}} {
		if got := s.GreatestUsualRate(now.Add(c.from), now.Add(c.to)); got != c.want {
			t.Errorf("%v to %v: %g, want %g", c.from, c.to, got, c.want)
		}
	}
	if got := (&policy.ReplicaScaling{}).GreatestUsualRate(now, now); got != 0 {
		t.Errorf("without usual rates: %g", got)
	}
}
