package symphonynet

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"fairbridge/gear/policytest"
	"fairbridge/policy"
	"fairbridge/policy/belief"
	"fairbridge/policy/paper"
	"fairbridge/policy/paper/symphony"
	"fairbridge/policy/solve/network"
)

// readings has a job that runs and one that waits, both known to use a half of a GPU, of which a pair loses something.
func readings() *policy.Snapshot {
	use := func() *policy.Sharing {
		return &policy.Sharing{AcceptsOtherUsers: true, MemMB: 1000, Utilisation: policy.KnownValue(.5), Source: "measured"}
	}
	s := &policy.Snapshot{Now: policytest.SnapshotTime, Nodes: []policy.Node{{Name: "n1", Partitions: []string{"p"}, GPUs: []policy.NodeDevices{{Type: "g", Count: 1, MemMB: 24_000}}}}}
	ask := policy.Ask{GPUs: policy.GPUs{Type: "g", Count: 1}}
	s.Jobs = []policy.Job{
		{ID: 1, User: "u", Partition: "p", State: policy.Running, Shareable: true, Sharing: use(), Ask: ask, Arrive: s.Now, Start: s.Now, On: policy.Alloc{{Node: "n1", Type: "g", Count: 1, Devices: policy.NewDeviceSet(0)}}},
		{ID: 2, User: "u", Partition: "p", State: policy.Pending, Shareable: true, Sharing: use(), Ask: ask, Arrive: s.Now},
	}
	return s
}

// constant is a network that gives the same for every input.
func constant(value float64) *network.Network {
	row := make([]float64, len(belief.FeatureNames()))
	return &network.Network{Layers: []network.Layer{{Weights: [][]float64{row}, Bias: []float64{value}}}}
}

// TestCorrections: jobs are packed by what the network believes, in bounds; where it says no number, by the filter, and reasons say so.
func TestCorrections(t *testing.T) {
	for name, c := range map[string]struct {
		says  float64
		verb  policy.Verb
		why   string
		bound float64
	}{
		"less":      {-9, policy.Start, "by a network in training", .3},
		"more":      {9, policy.Wait, "by a network in training", .3},
		"bounded":   {-9, policy.Wait, "by a network in training", 0},
		"no number": {math.NaN(), policy.Wait, "by the filter, since a correction by a network in training is no number", .3},
	} {
		p := policytest.NewPolicy(t, System().New, paper.Params{"max_difference": c.bound, "max_loss": .02}).(*Policy)
		p.trainee = constant(c.says)
		plan, err := p.Decide(readings())
		if err != nil {
			t.Fatal(err)
		}
		if d := plan.Decisions[1]; d.Verb != c.verb || !strings.Contains(d.Why, c.why) || plan.Policy != "symphony-net" {
			t.Errorf("%s: job 2 is to %s: %s", name, d.Verb, d.Why)
		}
	}
}

// TestShippedWeights: those that are built in can be used, are small and say how they were trained; their hash is in every reason.
func TestShippedWeights(t *testing.T) {
	w, err := ReadWeights(shippedWeights)
	if err != nil || w.Training["seed"] == "" || w.Training["source"] == "" || len(shippedWeights) > 100_000 {
		t.Fatal(err, w)
	}
	plan, err := policytest.NewPolicy(t, System().New, nil).Decide(readings())
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range plan.Decisions {
		if !strings.Contains(d.Why, "by network "+network.ShortHash(shippedWeights)) {
			t.Errorf("job %d: %s", d.Job, d.Why)
		}
	}
}

// TestWeightsThatCannotBeUsed leave decisions to the filter, and say why.
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
		plan, err := policytest.NewPolicy(t, System().New, nil).(*Policy).believing([]byte(text)).Decide(readings())
		if err != nil || !strings.Contains(plan.Decisions[1].Why, "by the filter, since the weights cannot be used") || !strings.Contains(plan.Decisions[1].Why, want) {
			t.Errorf("%v, %s", err, plan.Decisions[1].Why)
		}
	}
}

// TestTeacher: by its teacher it decides as symphony does.
func TestTeacher(t *testing.T) {
	s := policytest.BusyCluster(8, 100)
	ours, err := policytest.NewPolicy(t, System().New, paper.Params{"by": "filter"}).Decide(s)
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := policytest.NewPolicy(t, symphony.System().New, nil).Decide(s)
	if err != nil {
		t.Fatal(err)
	}
	for i, d := range ours.Decisions {
		if d.Verb != theirs.Decisions[i].Verb || d.Rank != theirs.Decisions[i].Rank || d.Beside != theirs.Decisions[i].Beside {
			t.Fatalf("job %d: %s at %d, by symphony %s at %d", d.Job, d.Verb, d.Rank, theirs.Decisions[i].Verb, theirs.Decisions[i].Rank)
		}
	}
}
