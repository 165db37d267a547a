package ledger

import (
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
)

// TestAbsenceProvesNothing: whatever the intent waits for, a list without its job
// changes nothing, however long it lasts; Slurm's own word for it does.
func TestAbsenceProvesNothing(t *testing.T) {
	for _, state := range []bridge.IntentState{bridge.IntentSent, bridge.IntentAcked, bridge.IntentUnknown, bridge.IntentObserved} {
		in := lease(state)
		v := &slurm.View{At: noon.Add(25 * time.Hour)}
		if got := SettleIntents([]bridge.Intent{in}, v, v.At); len(got) > 0 {
			t.Errorf("%s, the job is not listed: %s (%s)", state, got[0].State, got[0].Error)
		}
		if ask := AbsentJobIDs([]bridge.Intent{in}, v); len(ask) != 1 || ask[0] != 7 {
			t.Errorf("%s: to be asked about are %v", state, ask)
		}
		v.AddGoneJobs(7)
		if got := SettleIntents([]bridge.Intent{in}, v, v.At); len(got) != 1 || got[0].State != bridge.IntentExpired || len(AbsentJobIDs([]bridge.Intent{in}, v)) > 0 {
			t.Errorf("%s, Slurm does not know the job: %v", state, got)
		}
	}
	if ask := AbsentJobIDs([]bridge.Intent{lease(bridge.IntentPlanned), lease(bridge.IntentExpired)}, &slurm.View{At: noon}); len(ask) > 0 {
		t.Errorf("asking about %v for intents that wait for nothing", ask)
	}
}
