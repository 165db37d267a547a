package edf_test

import (
	"testing"
	"time"

	"fairbridge/gear/policytest"
	"fairbridge/policy"
	"fairbridge/policy/paper"
	"fairbridge/policy/paper/edf"
)

// snapshot is a node of 8 GPUs with elastic jobs of one GPU that are fastest on four, the
// earlier deadline first; held is what each holds.
func snapshot(held ...int) *policy.Snapshot {
	s := &policy.Snapshot{Now: policytest.SnapshotTime, Nodes: []policy.Node{{Name: "n1", Partitions: []string{"gpu"}, GPUs: []policy.NodeDevices{{Type: "g", Count: 8}}}}}
	for i, n := range held {
		j := policy.Job{ID: policy.JobID(i + 1), User: "u", Account: "a", Partition: "gpu", State: policy.Pending, Ask: policy.Ask{GPUs: policy.GPUs{Type: "g", Count: 1}},
			MinGPUs: 1, MaxGPUs: 8, Arrive: policytest.SnapshotTime.Add(-2 * time.Hour), Deadline: policytest.SnapshotTime.Add(time.Duration(i+1) * time.Hour),
			Scaling: &policy.Scaling{Source: policy.ScalingFromTable, Points: []policy.SpeedPoint{{Devices: 1, StepsPerSecond: 1}, {Devices: 4, StepsPerSecond: 3}, {Devices: 8, StepsPerSecond: 2}}}}
		if n > 0 {
			j.State, j.On = policy.Running, policy.Alloc{{Node: "n1", Type: "g", Count: n}}
			j.Start, j.FirstStart = policytest.SnapshotTime.Add(-time.Hour), policytest.SnapshotTime.Add(-time.Hour)
		}
		s.Jobs = append(s.Jobs, j)
	}
	return s
}

// TestSizes: the earliest deadline gets the size it is fastest on, or the most it may have; it
// grows into what a later one holds, which is stopped only where that is needed.
func TestSizes(t *testing.T) {
	type outcome struct {
		verb policy.Verb
		gpus int
	}
	for name, c := range map[string]struct {
		snapshot *policy.Snapshot
		params   paper.Params
		want     []outcome
	}{
		"fastest":                     {snapshot(0, 0), nil, []outcome{{policy.Start, 4}, {policy.Start, 4}}},
		"largest":                     {snapshot(0, 0), paper.Params{"sizes": "largest"}, []outcome{{policy.Start, 8}, {policy.Wait, 1}}},
		"asked":                       {snapshot(0, 0), paper.Params{"sizes": "asked"}, []outcome{{policy.Start, 1}, {policy.Start, 1}}},
		"grows into free ones":        {snapshot(1, 4), nil, []outcome{{policy.Resize, 4}, {policy.Keep, 4}}},
		"grows where another shrinks": {snapshot(1, 4, 3), nil, []outcome{{policy.Resize, 4}, {policy.Keep, 4}, {policy.Stop, 3}}},
		"all is given":                {snapshot(4, 4), paper.Params{"sizes": "largest"}, []outcome{{policy.Resize, 8}, {policy.Stop, 4}}},
	} {
		plan, err := policytest.NewPolicy(t, edf.System().New, c.params).Decide(c.snapshot)
		if err == nil {
			err = plan.Check(c.snapshot)
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for i, want := range c.want {
			if d := plan.Decisions[i]; d.Verb != want.verb || d.GPUs != want.gpus {
				t.Errorf("%s: %+v, want %v", name, d, want)
			}
		}
	}
}
