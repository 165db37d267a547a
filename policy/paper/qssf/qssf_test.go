package qssf_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"fairbridge/gear/policytest"
	"fairbridge/policy"
	"fairbridge/policy/learn"
	"fairbridge/policy/paper/qssf"
	"fairbridge/policy/paper/sjf"
)

// waiting is a node of eight GPUs, all held, with jobs that wait for some of them, as they arrived.
func waiting(names string, gpus ...int) *policy.Snapshot {
	now := policytest.SnapshotTime
	s := &policy.Snapshot{Now: now, Nodes: []policy.Node{{Name: "n1", Partitions: []string{"gpu"}, GPUs: []policy.NodeDevices{{Type: "g", Count: 8}}}}}
	s.Jobs = []policy.Job{{ID: 1, User: "u", Account: "a", Partition: "gpu", State: policy.Running, Arrive: now, Start: now, FirstStart: now,
		Ask: policy.Ask{GPUs: policy.GPUs{Type: "g", Count: 8}}, On: policy.Alloc{{Node: "n1", Type: "g", Count: 8}}}}
	for i, name := range strings.Fields(names) {
		s.Jobs = append(s.Jobs, policy.Job{ID: policy.JobID(i + 2), Name: name, User: "u", Account: "a", Partition: "gpu", State: policy.Pending,
			Arrive: now.Add(time.Duration(i-10) * time.Minute), Ask: policy.Ask{GPUs: policy.GPUs{Type: "g", Count: gpus[i]}}})
	}
	return s
}

// line decides, and returns the names of the jobs that wait, by rank.
func line(t *testing.T, p policy.Policy, s *policy.Snapshot) []string {
	t.Helper()
	plan, err := p.Decide(s)
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(plan.Decisions, func(a, b policy.Decision) int { return a.Rank - b.Rank })
	var names []string
	for _, d := range plan.Decisions {
		if j := s.Job(d.Job); !j.HoldsGPUs() {
			names = append(names, j.Name)
		}
	}
	return names
}

// TestRecurringJobs: three runs of 100 s and one of 4,000 s are known. A new job whose name differs from
// the first by its number goes before all, then the one of 800 GPU-seconds, though it has eight GPUs.
func TestRecurringJobs(t *testing.T) {
	var runs []learn.Run
	for i, r := range []struct {
		name string
		gpus int
		ran  time.Duration
	}{{"train_a", 8, 100 * time.Second}, {"train_b", 1, 4000 * time.Second}, {"train_a", 8, 100 * time.Second}, {"train_a1", 8, 100 * time.Second}} {
		at := policytest.SnapshotTime.Add(time.Duration(i-50) * time.Hour)
		runs = append(runs, learn.Run{Job: learn.Job{User: "u", Account: "a", Name: r.name, GPUType: "g", GPUs: r.gpus}, Start: at, End: at.Add(r.ran), Ran: r.ran})
	}
	m := learn.Fit(runs, 0)
	s := waiting("train_b train_a train_a2", 1, 8, 1)
	for i := range s.Jobs {
		s.Jobs[i].PredictedLeft, s.Jobs[i].PredictedSigma = m.TimeLeft(&s.Jobs[i])
	}
	got := line(t, policytest.NewPolicy(t, qssf.System().New, nil), s)
	if want := []string{"train_a2", "train_a", "train_b"}; !slices.Equal(got, want) {
		t.Errorf("they stand %v, want %v", got, want)
	}
}

// TestOracleIsShortestFirst: with true run times its line is that of the shortest job first by GPU time, and
// equals stand as they arrived.
func TestOracleIsShortestFirst(t *testing.T) {
	s := waiting("a b c d e f", 1, 2, 4, 1, 8, 2)
	for i, left := range []time.Duration{1, 50, 10, 20, 40, 4, 20} {
		s.Jobs[i].PredictedLeft = left * time.Minute
	}
	got := line(t, policytest.NewPolicy(t, qssf.System().New, nil), s)
	if want := line(t, policytest.NewPolicy(t, sjf.System().New, map[string]any{"by": "service"}), s); !slices.Equal(got, want) {
		t.Errorf("they stand %v, shortest first by GPU time %v", got, want)
	}
	if want := []string{"b", "e", "d", "f", "a", "c"}; !slices.Equal(got, want) {
		t.Errorf("they stand %v, want %v", got, want)
	}
}

// TestWaitsNotForEver: a long job that waited for a day stands before shorter ones.
func TestWaitsNotForEver(t *testing.T) {
	s := waiting("long short", 8, 1)
	s.Jobs[1].Arrive, s.Jobs[1].PredictedLeft, s.Jobs[2].PredictedLeft = policytest.SnapshotTime.Add(-25*time.Hour), 100*time.Hour, time.Minute
	p := policytest.NewPolicy(t, qssf.System().New, nil)
	if got := line(t, p, s); got[0] != "long" {
		t.Errorf("they stand %v after 25 hours", got)
	}
	s.Jobs[1].Arrive = policytest.SnapshotTime.Add(-23 * time.Hour)
	if got := line(t, p, s); got[0] != "short" {
		t.Errorf("they stand %v after 23 hours", got)
	}
}
