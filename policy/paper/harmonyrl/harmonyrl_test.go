package harmonyrl

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"fairbridge/gear/policytest"
	"fairbridge/policy"
	"fairbridge/policy/paper"
	"fairbridge/policy/paper/harmony"
	"fairbridge/policy/solve/network"
)

// waits has a node of two GPUs and two jobs that wait for both, of which the first has less left.
func waits() *policy.Snapshot {
	s := &policy.Snapshot{Now: policytest.SnapshotTime, Nodes: []policy.Node{{Name: "n1", Partitions: []string{"p"}, GPUs: []policy.NodeDevices{{Type: "g", Count: 2}}}}}
	for i, left := range []time.Duration{time.Hour, 5 * time.Hour} {
		s.Jobs = append(s.Jobs, policy.Job{ID: policy.JobID(i + 1), User: "u", Partition: "p", State: policy.Pending, Arrive: s.Now.Add(-time.Hour),
			PredictedLeft: left, Ask: policy.Ask{GPUs: policy.GPUs{Type: "g", Count: 2}}})
	}
	return s
}

// byWeight are weights by which the job is first whose speed counts most, or, negative, least.
func byWeight(weight float64) *network.Network {
	row := make([]float64, len(harmony.AgentFeatureNames()))
	for i, name := range harmony.AgentFeatureNames() {
		if name == "weight" {
			row[i] = weight
		}
	}
	return &network.Network{Layers: []network.Layer{{Weights: [][]float64{row}, Bias: []float64{0}}}}
}

// TestScores: the job with the highest score gets the room; where a score is no number, or the predicted reward is too small beside that
// of the search, the search places, and reasons say so with the figures.
func TestScores(t *testing.T) {
	for name, c := range map[string]struct {
		weight, most float64
		starts       policy.JobID
		why          string
	}{
		"the shortest first":    {1, .1, 1, "jobs are placed by a network in training"},
		"the longest first":     {-1, 1, 2, "jobs are placed by a network in training"},
		"too far from its best": {-1, .1, 1, "by the search, since the placement of a network in training is predicted to have 0.2 of its reward"},
		"no number":             {math.NaN(), 1, 1, "by the search, since a score of a network in training is no number"},
	} {
		p := policytest.NewPolicy(t, System().New, paper.Params{"max_difference": c.most}).(*Policy)
		p.trainee = Score{byWeight(c.weight)}
		plan, err := p.Decide(waits())
		if err != nil {
			t.Fatal(err)
		}
		if d := plan.Decisions[c.starts-1]; d.Verb != policy.Start || plan.Policy != "harmony-rl" {
			t.Errorf("%s: job %d is to %s", name, d.Job, d.Verb)
		}
		for _, d := range plan.Decisions {
			if !strings.Contains(d.Why, c.why) {
				t.Errorf("%s: job %d: %s, want %s", name, d.Job, d.Why, c.why)
			}
		}
	}
}

// TestShippedWeights: those that are built in can be used, are small and say how they were trained; their hash is in every reason.
func TestShippedWeights(t *testing.T) {
	w, err := ReadWeights(shippedWeights)
	if err != nil || w.Training["seed"] == "" || w.Training["source"] == "" || len(shippedWeights) > 100_000 {
		t.Fatal(err, w)
	}
	p := policytest.NewPolicy(t, System().New, paper.Params{"max_difference": 1.})
	plan, err := p.Decide(waits())
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range plan.Decisions {
		if !strings.Contains(d.Why, "placed by network "+network.ShortHash(shippedWeights)) {
			t.Errorf("job %d: %s", d.Job, d.Why)
		}
	}
}

// TestWeightsThatCannotBeUsed leave decisions to the search, and say why.
func TestWeightsThatCannotBeUsed(t *testing.T) {
	var w network.Weights
	if err := json.Unmarshal(shippedWeights, &w); err != nil {
		t.Fatal(err)
	}
	w.Version++
	newer, err := json.Marshal(w)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{"{": "unexpected end", string(newer): "of version 2, want 1"} {
		plan, err := policytest.NewPolicy(t, System().New, nil).(*Policy).placing([]byte(text)).Decide(waits())
		if err != nil || !strings.Contains(plan.Decisions[1].Why, "by the search, since the weights cannot be used") || !strings.Contains(plan.Decisions[1].Why, want) {
			t.Errorf("%v, %s", err, plan.Decisions[1].Why)
		}
	}
}

// TestTeacher: by its teacher it decides as harmony does, and an agent that is never near enough decides nothing.
func TestTeacher(t *testing.T) {
	s := policytest.BusyCluster(8, 100)
	theirs, err := policytest.NewPolicy(t, harmony.System().New, nil).Decide(s)
	if err != nil {
		t.Fatal(err)
	}
	for _, params := range []paper.Params{{"by": "search"}, {"max_difference": 0.}} {
		p := policytest.NewPolicy(t, System().New, params).(*Policy)
		if params["by"] == nil {
			p.trainee = Score{byWeight(-1)}
		}
		ours, err := p.Decide(s)
		if err != nil {
			t.Fatal(err)
		}
		for i, d := range ours.Decisions {
			if d.Verb != theirs.Decisions[i].Verb || d.Rank != theirs.Decisions[i].Rank || !d.On.Equal(theirs.Decisions[i].On) {
				t.Fatalf("%v: job %d: %s on %v, by harmony %s on %v", params, d.Job, d.Verb, d.On, theirs.Decisions[i].Verb, theirs.Decisions[i].On)
			}
		}
	}
}
