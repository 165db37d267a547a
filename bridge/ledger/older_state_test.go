package ledger

import (
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
)

// TestAnOlderStateIsNoPersonsChange: slurmctld is started again with a state from before our
// last value. What stood before is ours, or nobody's; the same without a start is a
// person's.
func TestAnOlderStateIsNoPersonsChange(t *testing.T) {
	older, newer := number(slurm.EditNice, 300, bridge.IntentExpired), number(slurm.EditNice, 500, bridge.IntentObserved)
	older.Error, newer.ID, newer.Before.OurValue = supersededReason, 2, -300
	older.Before.Nice, newer.Before.Nice = 7, 300
	newer.Before.OurValue = newer.Before.Nice - older.Before.OwnNice()
	for _, tt := range []struct {
		name  string
		nice  int64
		start time.Time
		at    time.Time
		want  bridge.IntentState
		undo  int
	}{
		{"it stands", 500, noon.Add(time.Minute), noon.Add(2 * time.Minute), bridge.IntentObserved, 1},
		{"an earlier one of ours stands again", 300, noon.Add(time.Minute), noon.Add(2 * time.Hour), bridge.IntentObserved, 1},
		{"none of ours stands", 7, noon.Add(time.Minute), noon.Add(2 * time.Minute), bridge.IntentExpired, 0},
		{"the owner's own, long after", 7, noon.Add(time.Minute), noon.Add(20 * time.Minute), bridge.IntentYielded, 0},
		{"another value", 8, noon.Add(time.Minute), noon.Add(2 * time.Minute), bridge.IntentYielded, 0},
		{"no start since", 300, noon.Add(-time.Minute), noon.Add(2 * time.Minute), bridge.IntentYielded, 0},
		{"no start is known", 300, time.Time{}, noon.Add(2 * time.Minute), bridge.IntentYielded, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			j := waiting()
			j.Nice = tt.nice
			v := &slurm.View{At: tt.at, ControllerStart: tt.start, Jobs: []slurm.Job{j}}
			intents := []bridge.Intent{older, newer}
			intents = ReplaceChangedIntents(intents, SettleIntents(intents, v, tt.at))
			if got := intents[1].State; got != tt.want || intents[0].State != bridge.IntentExpired {
				t.Errorf("it is %s (%s), the earlier one %s", got, intents[1].Error, intents[0].State)
			}
			edits := UndoEdits(intents, v, tt.at)
			if len(edits) != tt.undo || len(edits) == 1 && edits[0].Value != 7 {
				t.Errorf("given back by %v", edits)
			}
		})
	}
}

// TestALostEditIsNoMissedOne: slurmctld is started again before a poll has shown an edit that
// it said yes to. That is no edit without effect, and a hidden value is given back.
func TestALostEditIsNoMissedOne(t *testing.T) {
	for _, tt := range []struct {
		in   bridge.Intent
		want bridge.IntentState
		undo int
	}{
		{number(slurm.EditNice, 500, bridge.IntentAcked), bridge.IntentExpired, 0},
		{number(slurm.EditSiteFactor, 500, bridge.IntentAcked), bridge.IntentObserved, 1},
	} {
		v := &slurm.View{At: noon.Add(time.Minute), ControllerStart: noon.Add(30 * time.Second), Jobs: []slurm.Job{waiting()}}
		intents := []bridge.Intent{tt.in}
		intents = ReplaceChangedIntents(intents, SettleIntents(intents, v, v.At))
		if got := intents[0]; got.State != tt.want || WasOrderIgnored(&got) || HadNoEffect(&got) {
			t.Errorf("%s is %s (%s) after %d polls", got.Edit, got.State, got.Error, got.Polls)
		}
		if edits := UndoEdits(intents, v, v.At); len(edits) != tt.undo {
			t.Errorf("%s is given back by %v", tt.in.Edit, edits)
		}
	}
}
