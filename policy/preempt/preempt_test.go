package preempt_test

import (
	"testing"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/preempt"
)

var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// TestPreempters wants an urgent job to get the GPUs of a normal one, or not.
func TestPreempters(t *testing.T) {
	tiers := preempt.ByQOS("urgent", "normal")
	for _, c := range []struct {
		name  string
		p     engine.Preempter
		stops bool
	}{
		{"by tier", tiers, true},
		{"listed the other way", preempt.ByQOS("normal", "urgent"), false},
		{"neither is listed", preempt.ByQOS(), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			four := policy.Ask{GPUs: policy.GPUs{Type: "a100", Count: 4}}
			s := &policy.Snapshot{Now: now, Nodes: []policy.Node{{Name: "n1", Partitions: []string{"p"}, GPUs: []policy.NodeDevices{{Type: "a100", Count: 4}}}},
				Jobs: []policy.Job{
					{ID: 1, QOS: "normal", Partition: "p", State: policy.Running, Start: now.Add(-time.Hour), Arrive: now, Ask: four, On: policy.Alloc{{Node: "n1", Type: "a100", Count: 4}}},
					{ID: 2, QOS: "urgent", Partition: "p", State: policy.Pending, Arrive: now.Add(-time.Hour), Ask: four},
				}}
			plan, err := engine.Pipeline{Preempt: c.p}.Decide(s)
			if err != nil {
				t.Fatal(err)
			}
			if err := plan.Check(s); err != nil {
				t.Fatal(err)
			}
			if d := plan.Decisions[0]; (d.Verb == policy.Stop) != c.stops || c.stops && d.StoppedFor != 2 {
				t.Errorf("job 1: %s for %d (%s), want stopped: %v", d.Verb, d.StoppedFor, d.Why, c.stops)
			}
		})
	}
}
