package ledger

import (
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
)

// TestALateNodeListGivesBackTheOwners: the owner names nodes while a list of ours has no answer, which
// is carried out after that. What is given back is his, and not what stood there before him.
func TestALateNodeListGivesBackTheOwners(t *testing.T) {
	pin := func(id int64, state bridge.IntentState, nodes ...string) bridge.Intent {
		in := intent(slurm.EditRequireNodes, state)
		in.ID, in.Edit.Nodes = id, nodes
		return in
	}
	shown := func(list string) *slurm.View {
		j := waiting()
		j.RequiredNodes = slurm.ReadHosts(list)
		return viewOf(j)
	}
	for _, tt := range []struct {
		name    string
		intents []bridge.Intent
		polls   []string // what they show, the last our list
		want    string   // what is given back
	}{
		{"nobody wrote", []bridge.Intent{pin(1, bridge.IntentUnknown, "n1")}, []string{"", "n1"}, ""},
		{"he named nodes", []bridge.Intent{pin(1, bridge.IntentUnknown, "n1")}, []string{"n3", "n1"}, "n3"},
		{"before its sender died", []bridge.Intent{pin(1, bridge.IntentSent, "n1")}, []string{"n3", "n1"}, "n3"},
		{"he named others then", []bridge.Intent{pin(1, bridge.IntentUnknown, "n1")}, []string{"n3", "n2", "n1"}, "n2"},
		{"he took them off again", []bridge.Intent{pin(1, bridge.IntentUnknown, "n1")}, []string{"n3", "", "n1"}, ""},
		{"an earlier list of ours stood there", []bridge.Intent{pin(1, bridge.IntentObserved, "n2"), pin(2, bridge.IntentUnknown, "n1")}, []string{"n2", "n1"}, ""},
	} {
		rows := tt.intents
		for i, list := range tt.polls {
			v := shown(list)
			v.At = noon.Add(time.Duration(i+1) * 30 * time.Second)
			changed := SettleIntents(rows, v, v.At)
			for _, in := range changed {
				if in.State == bridge.IntentSent {
					t.Errorf("%s: intent %d is stored as SENT, which is for its sender", tt.name, in.ID)
				}
			}
			rows = ReplaceChangedIntents(rows, changed)
		}
		v := shown("n1")
		edits := UndoEdits(rows, v, noon.Add(5*time.Minute))
		if len(edits) != 1 || !slurm.ReadHosts(tt.want).SameAs(edits[0].Nodes) {
			t.Errorf("%s: %v, want %q given back", tt.name, edits, tt.want)
		}
	}
}
