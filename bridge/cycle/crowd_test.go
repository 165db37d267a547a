package cycle_test

import (
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
	"fairbridge/replica/sim"
)

// TestAnArrayKeepsNobodyFromTheOrder: an array of 2,000 tasks waits beside 500 jobs of others while
// jobs come and go, and the edit budget is the one that sites have. The array that waits is one record
// of 501, and each has its number within four cycles of the first that sends any.
func TestAnArrayKeepsNobodyFromTheOrder(t *testing.T) {
	r := newRigOn(t, campus(), bridge.ModeSteer, "drf", nil)
	brief := sim.JobSpec{User: "bob", Account: "b", GPUs: 1, ArraySize: 2000}
	brief.WorkTime, brief.TimeLimit = time.Minute, 5*time.Minute
	array := r.submit(brief)
	brief.ArraySize = 0
	for range 250 {
		brief.User, brief.Account = "carol", "c"
		r.submit(brief)
		brief.User, brief.Account = "dave", "d"
		r.submit(brief)
	}
	r.cycles(r.conf.WarmupPolls)
	if sent := len(r.wire.applied); sent > 0 {
		t.Fatalf("%d edits were sent while warming up", sent)
	}
	r.cycles(4)
	numbered := map[int64]bool{}
	for _, e := range r.wire.applied {
		numbered[e.Run.Job] = numbered[e.Run.Job] || e.Kind == slurm.EditSiteFactor
	}
	waiting, without := 0, []int64(nil)
	for _, j := range r.w.Jobs() {
		if !j.IsPending() {
			continue
		}
		if waiting++; !numbered[j.ID] {
			without = append(without, j.ID)
		}
	}
	if waiting < 400 || !numbered[array] || len(without) > 1 { // one may be where Slurm itself puts it
		t.Errorf("of %d records that wait %d have no number: %v", waiting, len(without), without)
	}
}
