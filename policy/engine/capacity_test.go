package engine_test

import (
	"testing"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/engine"
)

// capacities is an allocator that keeps what it is told of devices.
type capacities struct{ seen engine.Capacities }

// Allocate implements engine.Allocator.
func (c *capacities) Allocate(r *engine.Round) ([]engine.Assignment, error) {
	c.seen = r.ListCapacities(nil)
	var all []engine.Assignment
	for _, e := range r.Entries {
		all = append(all, e.AssignmentWithoutLease())
	}
	return all, nil
}

// TestSharedDevicesCountOnce: two jobs on one GPU hold one; a GPU of which one cannot be stopped is
// fixed.
func TestSharedDevicesCountOnce(t *testing.T) {
	s := cluster(1)
	for i, device := range []int{0, 0, 1, 1, 2} {
		with(s, 1, running("n1", time.Hour, 0))
		s.Jobs[i].On[0].Devices = policy.NewDeviceSet(device)
	}
	fixed(&s.Jobs[3])
	var c capacities
	if _, err := (engine.Pipeline{Allocate: &c}).Decide(s); err != nil {
		t.Fatal(err)
	}
	if got := c.seen.Find("a100"); got.Free != 5 || got.Stoppable != 2 || got.Fixed != 1 {
		t.Errorf("%+v, want 5 free, 2 of jobs that may be stopped and one that is fixed", got)
	}
}
