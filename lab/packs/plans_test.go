package packs_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"fairbridge/lab/exact"
	"fairbridge/lab/packs"
	"fairbridge/policy"
	"fairbridge/policy/paper/fifo"
	"fairbridge/replica/cluster"
	"fairbridge/replica/measure"
	"fairbridge/replica/workload"
)

// byPolicy runs a policy on a node of eight GPUs.
func byPolicy(t *testing.T, p policy.Policy, jobs []workload.Job) (*measure.Run, error) {
	t.Helper()
	nodes, err := cluster.ParseSpec("1x8")
	if err != nil {
		t.Fatal(err)
	}
	return packs.Simulate(exact.Config{Policy: p, Nodes: nodes, Jobs: jobs})
}

// besideFirst starts all jobs on the GPUs of the first, if they say that they accept it.
type besideFirst struct{}

// Decide implements policy.Policy.
func (besideFirst) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	plan := &policy.Plan{SnapshotSeq: s.Seq, Policy: "beside"}
	for i := range s.Jobs {
		j := &s.Jobs[i]
		d := policy.Decision{Job: j.ID, Rank: i + 1, Verb: policy.Keep, On: j.On, GPUs: 8, Why: "it runs"}
		if j.State == policy.Pending {
			d.Verb, d.On = policy.Start, policy.Alloc{{Node: "node1", Type: "gpu", Count: 8}}
			if i > 0 {
				d.Beside = s.Jobs[0].ID
			}
		}
		plan.Decisions = append(plan.Decisions, d)
	}
	return plan, nil
}

// TestPolicyShares reckons by hand: a step of both takes .657138 s, and each event costs both 15 s. What remains of
// the longer one is done alone.
func TestPolicyShares(t *testing.T) {
	jobs := two()
	run, err := byPolicy(t, besideFirst{}, jobs)
	if err != nil {
		t.Fatal(err)
	}
	const step = .5015 * 1.33 / 1.015
	first := 5000 * step
	want := first + (10000-(first-15)/step)*.516635
	if a, b := run.JobOutcomes[0].Finish, run.JobOutcomes[1].Finish; math.Abs(b-first) > 1e-6 || math.Abs(a-want) > 1e-6 {
		t.Errorf("ends %.6f and %.6f, want %.6f and %.6f", a, b, want, first)
	}
	jobs[1].Sharing = nil
	if _, err := byPolicy(t, besideFirst{}, jobs); err == nil {
		t.Error("a job of which nothing is known is put beside another")
	}
}

// TestPolicyAlone runs jobs one after another: each loses its start at every event while it runs.
func TestPolicyAlone(t *testing.T) {
	run, err := byPolicy(t, new(fifo.Policy), three())
	if err != nil {
		t.Fatal(err)
	}
	var got []float64
	for _, o := range run.JobOutcomes {
		got = append(got, math.Round(o.Finish*100)/100)
	}
	// 10,000 steps of .516635 s and 2 starts of 6 s before the last event; then 5,000 of .21721 s, then 1,000 of .19488 s.
	if want := []float64{5178.35, 6264.4, 6459.28}; !slices.Equal(got, want) || run.PolicyName != "fifo" {
		t.Errorf("%s: ends %v, want %v", run.PolicyName, got, want)
	}
}

// TestNoPolicy: without a policy nothing can be simulated.
func TestNoPolicy(t *testing.T) {
	if _, err := byPolicy(t, nil, three()); err == nil || !strings.Contains(err.Error(), "needs a policy") {
		t.Errorf("no policy: %v", err)
	}
}
