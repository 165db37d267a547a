package sizing_test

import (
	"slices"
	"testing"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/sizing"
)

func TestLevels(t *testing.T) {
	table := &policy.Scaling{Source: policy.ScalingFromTable, Points: []policy.SpeedPoint{{Devices: 1, StepsPerSecond: 2}, {Devices: 2, StepsPerSecond: 2}, {Devices: 4, StepsPerSecond: 5}, {Devices: 8, StepsPerSecond: 4}}}
	for name, c := range map[string]struct {
		ask, low, high int
		scaling        *policy.Scaling
		unplaceable    string
		want, fastest  []int
	}{
		"powers of two":       {2, 1, 8, table, "", []int{1, 2, 4, 8}, []int{1, 4}},
		"and what it asks":    {3, 2, 8, table, "", []int{2, 3, 4, 8}, []int{2, 3, 4}},
		"rigid":               {2, 0, 0, table, "", []int{2}, []int{2}},
		"speeds not known":    {2, 1, 8, nil, "", []int{2}, []int{2}},
		"speeds only assumed": {2, 1, 8, &policy.Scaling{Source: policy.ScalingAssumed}, "", []int{2}, []int{2}},
		"nodes not ours":      {2, 1, 8, table, "a constraint", []int{2}, []int{2}},
	} {
		e := &engine.Entry{Job: &policy.Job{Ask: policy.Ask{GPUs: policy.GPUs{Count: c.ask}}, MinGPUs: c.low, MaxGPUs: c.high, Scaling: c.scaling, UnplaceableReason: c.unplaceable}}
		got := sizing.Levels(e)
		if fastest := sizing.CutAtFastest(e, got); !slices.Equal(got, c.want) || !slices.Equal(fastest, c.fastest) {
			t.Errorf("%s: %v, of which faster and faster %v; want %v and %v", name, got, fastest, c.want, c.fastest)
		}
	}
}
