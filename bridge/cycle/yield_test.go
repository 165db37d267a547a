package cycle_test

import (
	"slices"
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/sim"
	"fairbridge/bridge/slurm"
)

// TestAJobIsLeftAloneForAsLongAsIsSaid: a job whose owner takes back what we set gets
// no edit for as long as the configuration says, and one some time later.
func TestAJobIsLeftAloneForAsLongAsIsSaid(t *testing.T) {
	r := newRig(t, bridge.ModeRank, "srtf", nil)
	r.conf.Order.Lever, r.conf.Budgets.YieldFor = bridge.LeverNice, time.Hour
	r.restart()
	for range 2 {
		r.submit(sim.JobSpec{User: "u", Account: "x", GPUs: 8, TimeLimit: 40 * time.Hour, WorkTime: 30 * time.Hour})
	}
	var ids []int64
	for i := range 8 {
		ids = append(ids, r.submit(sim.JobSpec{User: "new", Account: "y", GPUs: 8, TimeLimit: time.Duration(9-i) * time.Hour}))
	}
	r.cycles(6)
	i := slices.IndexFunc(ids, func(id int64) bool { return r.job(id).Nice != 0 })
	if i < 0 {
		t.Fatal("no job has a number of ours")
	}
	if err := r.w.Update("new", ids[i], sim.JobUpdate{Nice: sim.Ptr(int64(77))}); err != nil {
		t.Fatal(err)
	}
	edits := func() int {
		n := 0
		for _, e := range r.wire.applied {
			if e.Run.Job == ids[i] && e.Kind == slurm.EditNice {
				n++
			}
		}
		return n
	}
	r.cycles(1)
	before := edits()
	if r.cycles(110); edits() != before { // 55 minutes
		t.Errorf("job %d was changed again within the hour", ids[i])
	}
	if r.cycles(30); edits() == before {
		t.Errorf("job %d is left alone for longer than an hour", ids[i])
	}
}
