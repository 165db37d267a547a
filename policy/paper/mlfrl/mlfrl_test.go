package mlfrl

import (
	"math"
	"strings"
	"testing"
	"time"

	"fairbridge/gear/policytest"
	"fairbridge/policy"
	"fairbridge/policy/paper"
	"fairbridge/policy/paper/mlfs"
	"fairbridge/policy/solve/network"
)

// waits has one GPU and two jobs that wait for it, of which the first has less left.
func waits() *policy.Snapshot {
	s := &policy.Snapshot{Now: policytest.SnapshotTime, Nodes: []policy.Node{{Name: "n1", Partitions: []string{"p"}, GPUs: []policy.NodeDevices{{Type: "g", Count: 1}}}}}
	for i, left := range []time.Duration{time.Hour, 5 * time.Hour} {
		s.Jobs = append(s.Jobs, policy.Job{ID: policy.JobID(i + 1), User: "u", Partition: "p", State: policy.Pending, Arrive: s.Now.Add(-time.Hour),
			PredictedLeft: left, Ask: policy.Ask{GPUs: policy.GPUs{Type: "g", Count: 1}}})
	}
	return s
}

// longestFirst are weights by which the job with most left is first; not a number where a weight is none.
func longestFirst(weight float64) *network.Network {
	row := make([]float64, len(mlfs.FeatureNames()))
	row[1] = weight
	return &network.Network{Layers: []network.Layer{{Weights: [][]float64{row}, Bias: []float64{0}}}}
}

// TestScores: jobs are ranked by the scores of a network, and by the heuristic where a score is no number; reasons say which.
func TestScores(t *testing.T) {
	for name, c := range map[string]struct {
		weight float64
		starts policy.JobID
		why    string
	}{"the longest first": {1, 2, "by network x"}, "no number": {math.NaN(), 1, "by the heuristic, since a score of the network is no number"}, "the shortest first": {-1, 1, "by network x"}} {
		s := waits()
		h := policytest.NewPolicy(t, mlfs.System().New, nil).(*mlfs.Policy)
		plan, err := mlfs.WithScorer(h, Score{longestFirst(c.weight)}, "network x").Decide(s)
		if err != nil {
			t.Fatal(err)
		}
		d := plan.Decisions[c.starts-1]
		if d.Verb != policy.Start || !strings.Contains(plan.Decisions[2-c.starts].Why, c.why) {
			t.Errorf("%s: job %d is to %s; the other: %s", name, d.Job, d.Verb, plan.Decisions[2-c.starts].Why)
		}
	}
}

// TestShippedWeights: those that are shipped can be used, and those that cannot leave the decision to the teacher.
func TestShippedWeights(t *testing.T) {
	if _, err := ReadWeights(shippedWeights); err != nil {
		t.Fatal(err)
	}
	p := policytest.NewPolicy(t, System().New, nil).(*Policy)
	plan, err := p.Decide(waits())
	if err != nil || plan.Policy != "mlf-rl" {
		t.Fatal(err, plan)
	}
	for text, want := range map[string]string{"{}": "they are of version 0, want 1", "x": "reading weights: invalid", `{"version":1,"features":["a"]}`: "they are for the features [a]"} {
		plan, err := p.ranking([]byte(text)).Decide(waits())
		if err != nil || plan.Decisions[0].Verb != policy.Start || !strings.Contains(plan.Decisions[1].Why, want) {
			t.Errorf("weights %s: %v, %s", text, err, plan.Decisions[1].Why)
		}
	}
}

// TestTeacher: by its teacher it decides as MLF-H does.
func TestTeacher(t *testing.T) {
	s := policytest.BusyCluster(8, 100)
	ours, err := policytest.NewPolicy(t, System().New, paper.Params{"by": "teacher"}).Decide(s)
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := policytest.NewPolicy(t, mlfs.System().New, nil).Decide(s)
	if err != nil {
		t.Fatal(err)
	}
	for i, d := range ours.Decisions {
		if d.Verb != theirs.Decisions[i].Verb || d.Rank != theirs.Decisions[i].Rank {
			t.Fatalf("job %d: %s at %d, by MLF-H %s at %d", d.Job, d.Verb, d.Rank, theirs.Decisions[i].Verb, theirs.Decisions[i].Rank)
		}
	}
}
