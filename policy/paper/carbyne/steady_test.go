package carbyne_test

import (
	"testing"
	"time"

	"fairbridge/gear/policytest"
	"fairbridge/policy"
	"fairbridge/policy/paper/carbyne"
)

// TestCarbyneStartsTellNothing: what a job that was stopped once is thought to
// run does not depend on whether it waits or runs. Three such jobs of account a
// start beside its job of 10 hours; if they then counted as longer than before,
// that job need no longer run now, and would give way to the one of account b.
func TestCarbyneStartsTellNothing(t *testing.T) {
	at := func(hours int) time.Time { return policytest.SnapshotTime.Add(time.Duration(hours) * time.Hour) }
	one := policy.Ask{GPUs: policy.GPUs{Type: "g", Count: 1}}
	s := &policy.Snapshot{Now: at(0), Accounts: []policy.Account{{Name: "a", Weight: 1}, {Name: "b", Weight: 1}},
		Nodes: []policy.Node{{Name: "n1", Partitions: []string{"gpu"}, GPUs: []policy.NodeDevices{{Type: "g", Count: 4}}}},
		Jobs: []policy.Job{{ID: 1, Account: "a", Partition: "gpu", State: policy.Running, Arrive: at(-1), Start: at(-1), FirstStart: at(-1),
			Ask: one, On: policy.Alloc{{Node: "n1", Type: "g", Count: 1}}, PredictedLeft: 10 * time.Hour}}}
	for id := policy.JobID(2); id < 5; id++ {
		s.Jobs = append(s.Jobs, policy.Job{ID: id, Account: "a", Partition: "gpu", State: policy.Pending, Arrive: at(-12), FirstStart: at(-12),
			Ask: one, StopCount: 1, LastStop: at(-2), Attained: policy.ServiceForTime(1, 10*time.Hour)})
	}
	s.Jobs = append(s.Jobs, policy.Job{ID: 5, Account: "b", Partition: "gpu", State: policy.Pending, Arrive: at(0), Ask: one, PredictedLeft: 20 * time.Hour})
	for range 2 {
		plan, err := policytest.NewPolicy(t, carbyne.System().New, nil).Decide(s)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range plan.Decisions {
			if d.Verb == policy.Stop {
				t.Fatalf("job %d is stopped:\n%s", d.Job, policytest.DescribePlan(s, plan))
			}
		}
		s = policytest.ApplyPlan(s, plan)
	}
}
