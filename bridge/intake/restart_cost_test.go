package intake

import (
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/policy"
)

// TestRestartCost: the owner's word comes first, then what was measured, then, of elastic jobs, what is assumed.
func TestRestartCost(t *testing.T) {
	measured := func(*policy.Job) bridge.RestartCost {
		return bridge.RestartCost{Cost: 2 * time.Minute, Count: 4, Whose: "class resnet"}
	}
	for name, c := range map[string]struct {
		job    policy.Job
		past   func(*policy.Job) bridge.RestartCost
		want   time.Duration
		source string
	}{
		"its owner's word":     {policy.Job{CheckpointCost: time.Second, MaxGPUs: 8}, measured, time.Second, ""},
		"measured":             {policy.Job{MaxGPUs: 8}, measured, 2 * time.Minute, "measured on 4 restarts of class resnet"},
		"measured, of a rigid": {policy.Job{}, measured, 2 * time.Minute, "measured on 4 restarts of class resnet"},
		"assumed":              {policy.Job{MaxGPUs: 8}, nil, 7 * time.Minute, "assumed: its owner does not say, and too few restarts were measured"},
		"none of its kind":     {policy.Job{MaxGPUs: 8}, func(*policy.Job) bridge.RestartCost { return bridge.RestartCost{} }, 7 * time.Minute, "assumed: its owner does not say, and too few restarts were measured"},
		"unknown of a rigid":   {policy.Job{}, nil, 0, ""},
	} {
		a := snapshotAssembler{Input: Input{Past: &bridge.Past{RestartCostOf: c.past}, Budgets: &bridge.Budgets{RestartCost: 7 * time.Minute}}}
		j := c.job
		if a.addRestartCost(&j); j.CheckpointCost != c.want || j.CheckpointSource != c.source {
			t.Errorf("%s: %v, %q", name, j.CheckpointCost, j.CheckpointSource)
		}
	}
}
