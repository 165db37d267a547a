package ledger

import (
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
)

func TestUndoIsByValue(t *testing.T) {
	ours := lease(bridge.IntentObserved)
	tests := []struct {
		name string
		job  func(*slurm.Job)
		want int
	}{
		{"still ours", func(j *slurm.Job) { j.EligibleTime = ours.Edit.Until }, 1},
		{"somebody else's", func(j *slurm.Job) { j.EligibleTime = noon.Add(time.Hour) }, 0},
		{"held meanwhile", func(j *slurm.Job) { j.EligibleTime, j.IsHeld = ours.Edit.Until, true }, 0},
		{"running", func(j *slurm.Job) { j.EligibleTime, j.State = ours.Edit.Until, "RUNNING" }, 0},
		{"unreadable", func(j *slurm.Job) { j.EligibleTime, j.UntrustedReason = ours.Edit.Until, "no priority" }, 0},
	}
	for _, tt := range tests {
		j := waiting()
		tt.job(&j)
		got := UndoEdits([]bridge.Intent{ours}, &slurm.View{At: noon, Jobs: []slurm.Job{j}}, noon)
		if len(got) != tt.want {
			t.Errorf("%s: %v, want %d edits", tt.name, got, tt.want)
		}
	}
}

// TestUndoReachesJobsLeftToAPerson: a number of ours is given back although the
// job's owner changed its nice, or something else of ours.
func TestUndoReachesJobsLeftToAPerson(t *testing.T) {
	site, theirs := number(slurm.EditSiteFactor, 700, bridge.IntentObserved), lease(bridge.IntentYielded)
	theirs.ID, theirs.Closed = 2, noon
	j := waiting()
	j.Nice, j.Priority = 1_000_000, 1
	intents := []bridge.Intent{site, theirs}
	v := &slurm.View{At: noon, Jobs: []slurm.Job{j}}
	intents = ReplaceChangedIntents(intents, SettleIntents(intents, v, noon))
	got := UndoEdits(intents, v, noon)
	if len(got) != 1 || got[0].Kind != slurm.EditSiteFactor || got[0].Value != 0 {
		t.Errorf("got %v, want the neutral site factor", got)
	}
}

// TestABeginTimeIsGivenBackLast: once it is gone the job may start, and the rest
// can no longer be given back.
func TestABeginTimeIsGivenBackLast(t *testing.T) {
	held, site := lease(bridge.IntentObserved), number(slurm.EditSiteFactor, 700, bridge.IntentObserved)
	pin := intent(slurm.EditRequireNodes, bridge.IntentObserved)
	pin.Edit.Nodes = []string{"n1"}
	site.ID, pin.ID = 2, 3
	j := waiting()
	j.EligibleTime, j.RequiredNodes = held.Edit.Until, slurm.ReadHosts("n1")
	got := UndoEdits([]bridge.Intent{held, site, pin}, &slurm.View{At: noon, Jobs: []slurm.Job{j}}, noon)
	if len(got) != 3 || got[2].Kind != slurm.EditUnlease {
		t.Errorf("got %v, want the lease's end last of three", got)
	}
}

func TestStuckTellsWhatCannotBeGivenBackNow(t *testing.T) {
	site, pin := number(slurm.EditSiteFactor, 700, bridge.IntentObserved), intent(slurm.EditRequireNodes, bridge.IntentObserved)
	pin.ID, pin.Edit.Nodes = 2, []string{"n1"}
	for _, tt := range []struct {
		name string
		job  func(*slurm.Job)
		want int
	}{
		{"waiting", same, 0},
		{"running: its node list", func(j *slurm.Job) { j.State = "RUNNING" }, 1},
		{"held: both", func(j *slurm.Job) { j.IsHeld = true }, 2},
		{"unreadable: both", func(j *slurm.Job) { j.UntrustedReason = "no priority" }, 2},
		{"held, and its owner took the node list: the number", func(j *slurm.Job) { j.IsHeld, j.RequiredNodes = true, slurm.ReadHosts("n2") }, 1},
		{"ended", func(j *slurm.Job) { j.State = "COMPLETED" }, 0},
	} {
		j := waiting()
		j.RequiredNodes = slurm.ReadHosts("n1")
		tt.job(&j)
		v := &slurm.View{At: noon, Jobs: []slurm.Job{j}}
		got := BlockedUndoEdits([]bridge.Intent{site, pin}, v, noon)
		if len(got) != tt.want {
			t.Errorf("%s: %v, want %d", tt.name, got, tt.want)
		}
	}
}

// TestBoundUntilShardsAreKnown: a job stays bound to its node while shards that we asked for may still come.
func TestBoundUntilShardsAreKnown(t *testing.T) {
	pin := intent(slurm.EditRequireNodes, bridge.IntentObserved)
	pin.Edit.Nodes = []string{"n1"}
	shards := intent(slurm.EditSetShards, bridge.IntentUnknown)
	shards.ID, shards.Edit.Nodes, shards.Edit.Value, shards.Before.GPUs = 2, []string{"n1"}, 2, 1
	j := waiting()
	j.RequiredNodes, j.GresPerNode, j.RequestedTRES = slurm.ReadHosts("n1"), slurm.ReadGRESRequest("gres/gpu:1"), slurm.ReadTRES("gres/gpu=1")
	for state, want := range map[bridge.IntentState]int{bridge.IntentUnknown: 0, bridge.IntentFailed: 1} {
		shards.State = state
		if got := UndoEdits([]bridge.Intent{pin, shards}, &slurm.View{At: noon, Jobs: []slurm.Job{j}}, noon); len(got) != want {
			t.Errorf("%s: %v", state, got)
		}
	}
}
