package cycle_test

import (
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/sim"
)

// TestAPreviewChangesNothing: it plans as if we led, while another daemon does,
// and neither Slurm nor the database nor the loop is any different after it.
func TestAPreviewChangesNothing(t *testing.T) {
	r := newRig(t, bridge.Steer, "drf", nil)
	r.full("")
	r.submit(sim.Spec{User: "new", Account: "y", GPUs: 8})
	r.submit(sim.Spec{User: "new", Account: "y", GPUs: 8})
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
	if err := r.loop.MayPush(t.Context()); err == nil {
		t.Error("after a preview the loop may push although another daemon leads")
	}
	intents, err := r.db.Intents(t.Context(), "lab", r.w.Now(), time.Time{})
	memo, errMemo := r.db.Memo(t.Context(), "lab", "gpu")
	if len(intents) > 0 || memo.Seq != 0 || len(r.wire.applied) > 0 || err != nil || errMemo != nil {
		t.Errorf("%d intents, cycle %d, %d calls: %v, %v", len(intents), memo.Seq, len(r.wire.applied), err, errMemo)
	}
}
