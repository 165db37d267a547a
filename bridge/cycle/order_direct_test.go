package cycle_test

import (
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/replica/sim"
)

// TestAnAdministratorsPriorityLiftsNoOther: a priority that an administrator set
// directly is far above what Slurm makes; no job is lifted to it by our order.
func TestAnAdministratorsPriorityLiftsNoOther(t *testing.T) {
	r := newRig(t, bridge.ModeRank, "sjf", nil)
	r.full("")
	var ids []int64
	for i := range 6 {
		ids = append(ids, r.submit(sim.JobSpec{User: "bob", Account: "y", GPUs: 8, TimeLimit: time.Duration(10-i) * time.Hour}))
	}
	first := r.submit(sim.JobSpec{User: "ann", Account: "y", GPUs: 8, TimeLimit: 20 * time.Hour, Priority: 3_000_000})
	for range 8 {
		r.cycles(1)
		for _, id := range ids {
			if p := r.job(id).Priority; p > 100_000 {
				t.Errorf("job %d has priority %d", id, p)
			}
		}
	}
	if p := r.job(first).Priority; p != 3_000_000 {
		t.Errorf("the administrator's is %d", p)
	}
	if len(r.wire.applied) == 0 {
		t.Error("nothing was ordered")
	}
}
