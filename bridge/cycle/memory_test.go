package cycle

import (
	"reflect"
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
)

// TestAMemoryIsAValue: what makes a memory of another leaves that one as it was.
func TestAMemoryIsAValue(t *testing.T) {
	fresh := func() Memory {
		return Memory{
			GoodViews: 3, Reference: ViewReference{View: &slurm.View{}, ManyGonePolls: 1},
			MemoryByPartition: map[string]PartitionMemory{"gpu": {StoredCycleSeq: 7, OverrunCount: 1}},
			RequeueTimeByRun:  map[slurm.Run]time.Time{{Job: 1}: noon, {Job: 2}: noon.Add(-48 * time.Hour)},
		}
	}
	m := fresh()
	requeue := bridge.Intent{Edit: slurm.Edit{Kind: slurm.EditRequeue, Run: slurm.Run{Job: 3}}, State: bridge.IntentAcked}
	for name, next := range map[string]Memory{
		"standby": m.forStandby(), "with": m.withPartition("gpu", PartitionMemory{}), "stored": m.withStoredCycle("gpu", 8),
		"found": m.detectDatabaseRestore("gpu", 6, noon), "pushed": m.withPushedRequeues([]bridge.Intent{requeue}, noon),
	} {
		if reflect.DeepEqual(next, m) {
			t.Errorf("%s changes nothing", name)
		}
	}
	if !reflect.DeepEqual(m, fresh()) {
		t.Errorf("it was written to: %+v", m)
	}
	if got := m.withPushedRequeues([]bridge.Intent{requeue}, noon).RequeueTimeByRun; len(got) != 2 || got[slurm.Run{Job: 3}] != noon {
		t.Errorf("requeued %v, want those of a day and the new one", got)
	}
	for _, state := range []bridge.IntentState{bridge.IntentPlanned, bridge.IntentVoid} {
		requeue.State = state
		if got := m.withPushedRequeues([]bridge.Intent{requeue}, noon).RequeueTimeByRun; !got[slurm.Run{Job: 3}].IsZero() {
			t.Errorf("a requeue that is %s counts as sent", state)
		}
	}
	if m.detectDatabaseRestore("gpu", 6, noon).checkDatabaseRestored(noon) == nil || m.detectDatabaseRestore("gpu", 7, noon).checkDatabaseRestored(noon) != nil {
		t.Error("a database is put back when it knows less than was stored, and only then")
	}
}
