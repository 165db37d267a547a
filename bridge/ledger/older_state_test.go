package ledger

import (
	"slices"
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/actuator"
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
		undo  int // edits that give it back
	}{
		{"it stands", 500, noon.Add(time.Minute), noon.Add(2 * time.Minute), bridge.IntentObserved, 1},
		{"an earlier one of ours stands again", 300, noon.Add(time.Minute), noon.Add(2 * time.Hour), bridge.IntentExpired, 1},
		{"none of ours stands", 7, noon.Add(time.Minute), noon.Add(2 * time.Minute), bridge.IntentExpired, 0},
		{"the owner's own, long after", 7, noon.Add(time.Minute), noon.Add(20 * time.Minute), bridge.IntentYielded, 0},
		{"another value", 8, noon.Add(time.Minute), noon.Add(2 * time.Minute), bridge.IntentYielded, 0},
		{"no start since", 300, noon.Add(-time.Minute), noon.Add(2 * time.Minute), bridge.IntentYielded, 0},
		{"no start is known", 300, time.Time{}, noon.Add(2 * time.Minute), bridge.IntentYielded, 0},
	} {
		for _, earlier := range []bridge.IntentState{bridge.IntentExpired, bridge.IntentObserved} {
			t.Run(tt.name+", the earlier one "+string(earlier), func(t *testing.T) {
				j := waiting()
				j.Nice = tt.nice
				v := &slurm.View{At: tt.at, ControllerStart: tt.start, Jobs: []slurm.Job{j}}
				intents := []bridge.Intent{older, newer}
				intents[0].State = earlier
				intents = settleAll(intents, v)
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
}

// settleAll settles the intents by the view and adds what stands again, with IDs.
func settleAll(intents []bridge.Intent, v *slurm.View) []bridge.Intent {
	intents = ReplaceChangedIntents(intents, SettleIntents(intents, v, v.At))
	for _, in := range OlderStateIntents(intents, v) {
		in.ID = intents[len(intents)-1].ID + 1
		intents = append(intents, in)
	}
	return intents
}

// TestWhatWasGivenBackStandsAgain: slurmctld is started with a state from before a value of ours was
// given back, or changed by its owner. It is ours, once, and is given back again; a node list,
// for which an owner may have asked himself, is his.
func TestWhatWasGivenBackStandsAgain(t *testing.T) {
	list := func(id int64, nodes ...string) bridge.Intent {
		w := waiting()
		return bridge.Intent{ID: id, Edit: slurm.Edit{Run: w.CurrentRun(), Kind: slurm.EditRequireNodes, Nodes: nodes}, State: bridge.IntentExpired, Sent: noon}
	}
	withID := func(in bridge.Intent, id int64, state bridge.IntentState) bridge.Intent {
		in.ID, in.State = id, state
		return in
	}
	back := number(slurm.EditNice, 7, bridge.IntentExpired)
	back.Before.Nice, back.Before.OurValue = 300, 293
	ours := number(slurm.EditNice, 300, bridge.IntentExpired)
	ours.Before.Nice = 7
	for _, tt := range []struct {
		name    string
		intents []bridge.Intent
		nice    int64
		start   time.Duration // after noon, when all was sent
		want    int           // values of ours that stand again
	}{
		{"given back", []bridge.Intent{withID(ours, 1, bridge.IntentExpired), withID(back, 2, bridge.IntentExpired)}, 300, time.Minute, 1},
		{"given back, and still so", []bridge.Intent{withID(ours, 1, bridge.IntentExpired), withID(back, 2, bridge.IntentExpired)}, 7, time.Minute, 0},
		{"given back, no start since", []bridge.Intent{withID(ours, 1, bridge.IntentExpired), withID(back, 2, bridge.IntentExpired)}, 300, -time.Minute, 0},
		{"changed by its owner", []bridge.Intent{withID(ours, 1, bridge.IntentYielded)}, 300, time.Minute, 1},
		{"never sent", []bridge.Intent{withID(ours, 1, bridge.IntentVoid)}, 300, time.Minute, 0},
		{"an outcome is open", []bridge.Intent{withID(ours, 1, bridge.IntentExpired), withID(back, 2, bridge.IntentUnknown)}, 300, time.Minute, 0},
		{"a node list", []bridge.Intent{list(1, "n1"), list(2)}, 7, time.Minute, 0},
		{"a node list that was replaced", []bridge.Intent{list(1, "n1"), list(2, "n2")}, 7, time.Minute, 1},
	} {
		j := waiting()
		j.Nice, j.RequiredNodes = tt.nice, slurm.ReadHosts("n1")
		v := &slurm.View{At: noon.Add(2 * time.Minute), ControllerStart: noon.Add(tt.start), Jobs: []slurm.Job{j}}
		intents := settleAll(tt.intents, v)
		if n := len(intents) - len(tt.intents); n != tt.want {
			t.Errorf("%s: %d values stand again, want %d", tt.name, n, tt.want)
		}
		if edits := UndoEdits(intents, v, v.At); len(edits) != tt.want || len(edits) == 1 && edits[0].Kind == slurm.EditNice && edits[0].Value != 7 {
			t.Errorf("%s: given back by %v", tt.name, edits)
		}
		if again := settleAll(intents, v); len(again) != len(intents) {
			t.Errorf("%s: it is found again", tt.name)
		}
	}
}

// TestAnOwnersValueLikeAnOlderOneOfOurs: an owner had set one of our earlier numbers himself, and
// then slurmctld is started again. It is his, and is never given back to what he had before.
func TestAnOwnersValueLikeAnOlderOneOfOurs(t *testing.T) {
	older, newer := number(slurm.EditNice, 300, bridge.IntentExpired), number(slurm.EditNice, 500, bridge.IntentObserved)
	older.Error, newer.ID = supersededReason, 2
	older.Before.Nice, newer.Before.Nice, newer.Before.OurValue = 7, 300, 293
	j := waiting()
	j.Nice = 300
	yielded := []bridge.Intent{older, newer}
	yielded[1].State, yielded[1].Error, yielded[1].Closed = bridge.IntentYielded, actuator.ForeignChange(&newer, &j), noon.Add(time.Minute)
	again := slices.Concat(yielded, []bridge.Intent{number(slurm.EditNice, 900, bridge.IntentObserved)})
	again[2].ID, again[2].Before.Nice, again[2].Before.OurValue = 3, 300, 0
	found := number(slurm.EditNice, 300, bridge.IntentYielded) // of an earlier start
	found.ID, found.Sent, found.Made, found.Closed, found.Error = 3, time.Time{}, noon.Add(20*time.Second), noon.Add(time.Minute), "nice is now 8, we had set 300"
	lost := slices.Concat([]bridge.Intent{older, newer}, []bridge.Intent{found})
	lost[1].State, lost[1].Error = bridge.IntentExpired, StateLossReason
	otherText := slices.Clone(yielded)
	otherText[1].Error = "as another version says it"
	for _, tt := range []struct {
		name    string
		intents []bridge.Intent
		start   time.Time
	}{
		{"seen before the start", yielded, noon.Add(2 * time.Minute)},
		{"seen after the start", otherText, noon.Add(30 * time.Second)},
		{"changed since it stood again", lost, noon.Add(10 * time.Second)},
		{"what we wrote since was lost", again, noon.Add(2 * time.Minute)},
	} {
		v := &slurm.View{At: noon.Add(3 * time.Minute), ControllerStart: tt.start, Jobs: []slurm.Job{j}}
		intents := settleAll(tt.intents, v)
		if len(intents) != len(tt.intents) || intents[len(intents)-1].State == bridge.IntentObserved {
			t.Errorf("%s: it is taken for ours: %v", tt.name, intents[len(intents)-1])
		}
		if edits := UndoEdits(intents, v, v.At); len(edits) != 0 {
			t.Errorf("%s: given back by %v", tt.name, edits)
		}
	}
}

// TestAHiddenValueIsGivenBackAgain: no record shows a site factor, so what was given back before
// slurmctld was started is given back once more.
func TestAHiddenValueIsGivenBackAgain(t *testing.T) {
	ours, back := number(slurm.EditSiteFactor, 500, bridge.IntentExpired), number(slurm.EditSiteFactor, 0, bridge.IntentExpired)
	back.ID, back.Before.OurValue = 2, 500
	for _, tt := range []struct {
		start time.Duration // after noon
		want  int
	}{{time.Minute, 1}, {-time.Minute, 0}} {
		v := &slurm.View{At: noon.Add(2 * time.Minute), ControllerStart: noon.Add(tt.start), Jobs: []slurm.Job{waiting()}}
		intents := settleAll([]bridge.Intent{ours, back}, v)
		if edits := UndoEdits(intents, v, v.At); len(intents) != 2 || len(edits) != tt.want || len(edits) == 1 && edits[0].Value != 0 {
			t.Errorf("started %v after it was given back: given back by %v", tt.start, edits)
		}
	}
}

// TestALostEditIsNoMissedOne: slurmctld is started again before a poll has shown an edit that
// it said yes to. That is no edit without effect, and a hidden value is given back. A number that
// did not stand there before ours was set by a person, whenever slurmctld was started.
func TestALostEditIsNoMissedOne(t *testing.T) {
	older := number(slurm.EditNice, 928, bridge.IntentExpired)
	newer := number(slurm.EditNice, 500, bridge.IntentAcked)
	newer.ID, newer.Before.Nice, newer.Before.OurValue = 2, 928, 928
	for _, tt := range []struct {
		in   bridge.Intent
		nice int64
		want bridge.IntentState
		undo int
	}{
		{number(slurm.EditNice, 500, bridge.IntentAcked), 0, bridge.IntentExpired, 0},
		{number(slurm.EditNice, 500, bridge.IntentAcked), 928, bridge.IntentYielded, 0},
		{newer, 928, bridge.IntentExpired, 0},
		{number(slurm.EditSiteFactor, 500, bridge.IntentAcked), 0, bridge.IntentObserved, 1},
	} {
		j := waiting()
		j.Nice = tt.nice
		v := &slurm.View{At: noon.Add(time.Minute), ControllerStart: noon.Add(30 * time.Second), Jobs: []slurm.Job{j}}
		intents := []bridge.Intent{tt.in}
		if tt.in.ID > 1 {
			intents = []bridge.Intent{older, tt.in}
		}
		for range maxMissedPolls {
			intents = ReplaceChangedIntents(intents, SettleIntents(intents, v, v.At))
		}
		intents = intents[len(intents)-1:]
		if got := intents[0]; got.State != tt.want || tt.want != bridge.IntentYielded && (WasOrderIgnored(&got) || HadNoEffect(&got)) {
			t.Errorf("%s is %s (%s) after %d polls", got.Edit, got.State, got.Error, got.Polls)
		}
		if edits := UndoEdits(intents, v, v.At); len(edits) != tt.undo {
			t.Errorf("%s is given back by %v", tt.in.Edit, edits)
		}
	}
}

// TestAStartForgetsALeaseOrItsOwnerTookItOff: after a start of slurmctld the begin time from before us says that the
// lease was lost, and one of now that somebody took it off.
func TestAStartForgetsALeaseOrItsOwnerTookItOff(t *testing.T) {
	now := noon.Add(3 * time.Minute)
	for begin, want := range map[time.Time]bridge.IntentState{
		waiting().EligibleTime: bridge.IntentExpired, now: bridge.IntentYielded,
	} {
		j := waiting()
		j.EligibleTime = begin
		v := &slurm.View{At: now, ControllerStart: now.Add(-time.Minute), IsFullRead: true, Jobs: []slurm.Job{j}}
		got := SettleIntents([]bridge.Intent{lease(bridge.IntentObserved)}, v, now)
		if len(got) != 1 || got[0].State != want {
			t.Errorf("its begin time is %v: %v, want %s", begin, got, want)
		}
	}
}
