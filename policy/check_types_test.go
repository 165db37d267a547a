package policy_test

import (
	"strings"
	"testing"

	"fairbridge/policy"
)

// TestCheckOfSeveralTypes: who may run on GPUs of two types at once, and with which parts of a batch.
func TestCheckOfSeveralTypes(t *testing.T) {
	shares := func(a, b float64) policy.BatchShares {
		return policy.BatchShares{{Type: "a100", PerGPU: a}, {Type: "v100", PerGPU: b}}
	}
	for _, c := range []struct {
		name, want, asks string
		accepts          bool
		shares           policy.BatchShares
	}{
		{"of any type", "", "", false, nil},
		{"of one type", "placed on several types", "a100", false, nil},
		{"it accepts both", "", "a100", true, shares(.6, .4)},
		{"shares it did not ask for", "its owner must accept", "", false, shares(.6, .4)},
		{"shares that make too much", "make 1.1", "", true, shares(.6, .5)},
		{"no share for a type", "have no share", "", true, policy.BatchShares{{Type: "a100", PerGPU: 1}}},
	} {
		s := &policy.Snapshot{Nodes: []policy.Node{{Name: "n1", Partitions: []string{"gpu"}, GPUs: []policy.NodeDevices{{Type: "a100", Count: 1}, {Type: "v100", Count: 1}}}}}
		s.Jobs = []policy.Job{{ID: 1, Partition: "gpu", State: policy.Pending, Ask: policy.Ask{GPUs: policy.GPUs{Type: c.asks, Count: 2}}, GPUTypes: []string{"v100"}, AcceptsMixedTypes: c.accepts}}
		on := policy.Alloc{{Node: "n1", Type: "a100", Count: 1}, {Node: "n1", Type: "v100", Count: 1}}
		plan := &policy.Plan{Decisions: []policy.Decision{{Job: 1, Verb: policy.Start, Rank: 1, GPUs: 2, On: on, Why: "test", BatchShares: c.shares}}}
		if err := plan.Check(s); c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}
