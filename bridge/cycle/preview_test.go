package cycle_test

import (
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/replica/sim"
)

// TestAPreviewChangesNothing: it plans as if we led, while another daemon does,
// and neither Slurm nor the database nor the loop is any different after it.
func TestAPreviewChangesNothing(t *testing.T) {
	r := newRig(t, bridge.ModeSteer, "drf", nil)
	r.full("")
	r.submit(sim.JobSpec{User: "new", Account: "y", GPUs: 8})
	r.submit(sim.JobSpec{User: "new", Account: "y", GPUs: 8})
	if _, _, leads, err := r.db.Lead(t.Context(), "lab", "another:1", time.Hour); err != nil || !leads {
		t.Fatal(leads, err)
	}
	facts, evaluations, err := r.loop.Preview(t.Context())
	if err != nil || len(facts.View.Jobs) == 0 || len(evaluations) != 1 {
		t.Fatal(facts, evaluations, err)
	}
	if e := evaluations[0]; e.Err != nil || len(e.Doubts) > 0 || len(e.Edits) == 0 {
		t.Errorf("%d edits, doubts %v, error %v", len(e.Edits), e.Doubts, e.Err)
	}
	if err := r.loop.CheckMayPush(t.Context()); err == nil {
		t.Error("after a preview the loop may push although another daemon leads")
	}
	intents, err := r.db.Intents(t.Context(), "lab", r.w.Now(), time.Time{})
	memo, errMemo := r.db.Memo(t.Context(), "lab", &bridge.Partition{Name: "gpu"})
	if len(intents) > 0 || memo.CycleSeq != 0 || len(r.wire.applied) > 0 || err != nil || errMemo != nil {
		t.Errorf("%d intents, cycle %d, %d calls: %v, %v", len(intents), memo.CycleSeq, len(r.wire.applied), err, errMemo)
	}
}

// TestAPreviewLeavesThoseAloneWhomACycleDoes: jobs of a person who takes back what
// we set are left alone, in a preview too.
func TestAPreviewLeavesThoseAloneWhomACycleDoes(t *testing.T) {
	r := newRig(t, bridge.ModeRank, "srtf", nil)
	r.conf.Order.Lever = bridge.LeverNice
	r.restart()
	r.full("")
	var ids []int64
	for i := range 8 {
		ids = append(ids, r.submit(sim.JobSpec{User: "new", Account: "y", GPUs: 8, TimeLimit: time.Duration(9-i) * time.Hour}))
	}
	r.cycles(6)
	changed := 0
	for _, id := range ids {
		if r.job(id).Nice == 0 {
			continue
		}
		if err := r.w.Update("new", id, sim.JobUpdate{Nice: sim.Ptr(int64(77))}); err != nil {
			t.Fatal(err)
		}
		changed++
	}
	r.cycles(1)
	facts, evaluations, err := r.loop.Preview(t.Context())
	if err != nil || changed < 5 || facts.LeftAloneReasonByUser["new"] == "" {
		t.Fatalf("%d jobs were changed, left alone are %v: %v", changed, facts.LeftAloneReasonByUser, err)
	}
	for _, e := range evaluations[0].Edits {
		if r.job(e.Run.Job).User == "new" {
			t.Errorf("a preview shows %v", e)
		}
	}
}
