package share_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/share"
)

var approx = cmpopts.EquateApprox(1e-9, 1e-9)

func TestWeights(t *testing.T) {
	tree := []policy.Account{
		{Name: "lab", Weight: 3}, {Name: "nlp", Parent: "lab", Weight: 1}, {Name: "vision", Parent: "lab", Weight: 2},
		{Name: "ops", Weight: 1}, {Name: "x", Parent: "y", Weight: 1}, {Name: "y", Parent: "x", Weight: 1},
		{Name: "zero"}, {Name: "orphan", Parent: "gone", Weight: 2},
	}
	for _, c := range []struct {
		name string
		want map[string]float64
	}{
		{"one child is as none", map[string]float64{"vision": 0.75, "ops": 0.25}},
		{"down the tree", map[string]float64{"nlp": 0.25, "vision": 0.5, "ops": 0.25}},
		{"own jobs beside children", map[string]float64{"lab": 0.75 / 3, "vision": 0.75 * 2 / 3, "ops": 0.25}},
		{"no weight is one share", map[string]float64{"ops": 0.5, "zero": 0.5}},
		{"unknown account", map[string]float64{"ops": 0.5, "nobody": 0.5}},
		{"unknown parent", map[string]float64{"ops": 1. / 3, "orphan": 2. / 3}},
	} {
		t.Run(c.name, func(t *testing.T) {
			want := map[string]bool{}
			for name := range c.want {
				want[name] = true
			}
			if d := cmp.Diff(c.want, share.WeightsAmong(&policy.Snapshot{Accounts: tree}, want), approx); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestWeightsOfACircle asks only for an answer that adds up: such a tree has
// no meaning, and Slurm does not make one.
func TestWeightsOfACircle(t *testing.T) {
	tree := []policy.Account{{Name: "x", Parent: "y", Weight: 1}, {Name: "y", Parent: "x", Weight: 3}}
	got := share.WeightsAmong(&policy.Snapshot{Accounts: tree}, map[string]bool{"x": true, "y": true})
	if sum := got["x"] + got["y"]; sum < 0.999 || sum > 1.001 {
		t.Errorf("weights %v add up to %g", got, sum)
	}
}

func TestDominantDue(t *testing.T) {
	now := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	s := &policy.Snapshot{Now: now, Nodes: []policy.Node{
		{Name: "n1", CPUs: 64, GPUs: []policy.NodeDevices{{Type: "a100", Count: 9, SickCount: 1}}},
		{Name: "n2", CPUs: 64, DownReason: "broken", GPUs: []policy.NodeDevices{{Type: "a100", Count: 8}}},
	}}
	add := func(account string, cpus int, change func(*policy.Job)) {
		j := policy.Job{ID: policy.JobID(len(s.Jobs) + 1), Account: account, State: policy.Pending, Arrive: now,
			Ask: policy.Ask{GPUs: policy.GPUs{Count: 1}, CPUs: cpus}}
		if change != nil {
			change(&j)
		}
		s.Jobs = append(s.Jobs, j)
	}
	add("a", 4, func(j *policy.Job) { j.Tasks = 6 })
	add("b", 12, func(j *policy.Job) { j.Tasks = 6 })
	add("a", 4, func(j *policy.Job) { j.HeldReason = "by its user" })
	r := &engine.Round{Snapshot: s}
	for i := range s.Jobs {
		r.Entries = append(r.Entries, &engine.Entry{Job: &s.Jobs[i]})
	}
	got, err := share.DominantFairness{}.Share(r)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]float64{4.8, 3.2, 0}, got, approx); d != "" {
		t.Error(d) // the continuous optimum of 8 GPUs and 64 cores
	}
}

// TestDominantIgnoresArrangement shuffles the entries.
func TestDominantIgnoresArrangement(t *testing.T) {
	now := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	s := &policy.Snapshot{Now: now, Nodes: []policy.Node{{Name: "n1", CPUs: 50, GPUs: []policy.NodeDevices{{Type: "a", Count: 20}}}}}
	for i := range 30 {
		s.Jobs = append(s.Jobs, policy.Job{ID: policy.JobID(i + 1), Account: fmt.Sprint("acc", i%4), State: policy.Pending,
			Arrive: now.Add(-time.Duration(i%7) * time.Hour), Ask: policy.Ask{GPUs: policy.GPUs{Count: i%3 + 1}, CPUs: i % 5}})
	}
	due := func(perm []int) map[policy.JobID]float64 {
		r := &engine.Round{Snapshot: s}
		for _, i := range perm {
			r.Entries = append(r.Entries, &engine.Entry{Job: &s.Jobs[i]})
		}
		got, err := share.DominantFairness{}.Share(r)
		if err != nil {
			t.Fatal(err)
		}
		byID := map[policy.JobID]float64{}
		for i, e := range r.Entries {
			byID[e.ID] = got[i]
		}
		return byID
	}
	rng := rand.New(rand.NewPCG(1, 2))
	want := due(rng.Perm(30))
	for range 10 {
		if d := cmp.Diff(want, due(rng.Perm(30)), approx); d != "" {
			t.Fatal(d)
		}
	}
}
