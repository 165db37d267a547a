package cycle_test

import (
	"testing"

	"fairbridge/bridge"
	"fairbridge/policy/catalogue"
	"fairbridge/replica/sim"
)

// TestAPolicyThatWasChangedBegins gives a partition every policy of the
// catalogue in turn, as an administrator does who tries them. None can read what
// the one before remembered, and none may stumble over it.
func TestAPolicyThatWasChangedBegins(t *testing.T) {
	r := newRig(t, bridge.ModePreempt, "tiresias", nil)
	for range 6 {
		r.submit(sim.JobSpec{User: "alice", Account: "research", GPUs: 4, Comment: "fairbridge:preemptible"})
	}
	r.cycles(4)
	for _, e := range catalogue.Systems() {
		decide, err := e.New(nil)
		if err != nil {
			t.Fatal(err)
		}
		r.conf.Partitions = []bridge.Partition{{Name: "gpu", Mode: bridge.ModePreempt, Policy: e.Name, DecidingPolicy: decide}}
		r.restart()
		for range 3 {
			for _, d := range r.cycles(1).Doubts {
				t.Errorf("%s: %s: %v", e.Name, d.Cause, d.Err)
			}
		}
	}
}
