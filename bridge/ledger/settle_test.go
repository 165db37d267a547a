package ledger

import (
	"strings"
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
)

var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

// waiting is a pending job as Slurm shows it.
func waiting() slurm.Job {
	return slurm.Job{ID: 7, Submit: noon.Add(-time.Hour), EligibleTime: noon.Add(-time.Hour), State: "PENDING", Priority: 5000, IsNiceKnown: true}
}

func intent(kind slurm.EditKind, state bridge.IntentState) bridge.Intent {
	j := waiting()
	return bridge.Intent{
		ID: 1, Edit: slurm.Edit{Run: j.CurrentRun(), Kind: kind}, State: state, Made: noon, Sent: noon,
		Before: bridge.JobBefore{Eligible: j.EligibleTime, Begin: j.EligibleTime, Priority: j.Priority, State: j.State},
	}
}

func lease(state bridge.IntentState) bridge.Intent {
	in := intent(slurm.EditLease, state)
	in.Edit.Until = noon.Add(10 * time.Minute)
	in.NotAfter = in.Edit.Until
	return in
}

func number(kind slurm.EditKind, v int64, state bridge.IntentState) bridge.Intent {
	in := intent(kind, state)
	in.Edit.Value = v
	return in
}

// over is an intent that takes the place of a number of ours.
func over(ours int64, in bridge.Intent) bridge.Intent {
	in.Before.OurValue = ours
	return in
}

func withPolls(in bridge.Intent, n int) bridge.Intent {
	in.Polls = n
	return in
}

func TestSettle(t *testing.T) {
	until := noon.Add(10 * time.Minute)
	late := func(d time.Duration) time.Time { return noon.Add(d) }
	tests := []struct {
		name string
		in   bridge.Intent
		job  func(*slurm.Job) // nil: the job is gone, as Slurm says
		now  time.Time
		want bridge.IntentState
		says string
	}{
		{"never sent", lease(bridge.IntentPlanned), same, noon, bridge.IntentVoid, "never sent"},
		{"seen", lease(bridge.IntentAcked), func(j *slurm.Job) { j.EligibleTime = until }, noon, bridge.IntentObserved, ""},
		{"seen although the answer was lost", lease(bridge.IntentUnknown), func(j *slurm.Job) { j.EligibleTime = until }, noon, bridge.IntentObserved, ""},
		{"rounded by Slurm", lease(bridge.IntentAcked), func(j *slurm.Job) { j.EligibleTime = until.Add(2 * time.Second) }, noon, bridge.IntentObserved, ""},
		{"its owner took it off before it was seen", withPolls(lease(bridge.IntentAcked), 1), func(j *slurm.Job) { j.EligibleTime = noon }, late(time.Minute), bridge.IntentYielded, "said yes"},
		{"never seen", withPolls(lease(bridge.IntentAcked), 1), same, late(time.Minute), bridge.IntentFailed, "said yes"},
		{"given back without an answer or an effect", over(1000, number(slurm.EditSiteFactor, 0, bridge.IntentUnknown)), same, late(5 * time.Minute), bridge.IntentFailed, "no answer"},
		{"set without an answer or an effect", number(slurm.EditSiteFactor, 1000, bridge.IntentUnknown), same, late(5 * time.Minute), bridge.IntentObserved, "no answer"},
		{"given back, and Slurm said yes", withPolls(over(1000, number(slurm.EditSiteFactor, 0, bridge.IntentAcked)), 1), same, late(time.Minute), bridge.IntentObserved, ""},
		{"not seen yet", lease(bridge.IntentAcked), same, noon, bridge.IntentAcked, ""},
		{"no answer, not seen yet", lease(bridge.IntentUnknown), same, late(3 * time.Minute), bridge.IntentUnknown, ""},
		{"no answer, never seen", lease(bridge.IntentUnknown), same, late(5 * time.Minute), bridge.IntentFailed, "no answer and no effect"},
		{"sent, then the daemon died", lease(bridge.IntentSent), same, late(5 * time.Minute), bridge.IntentFailed, "no answer"},
		{"ran out", lease(bridge.IntentObserved), func(j *slurm.Job) { j.EligibleTime = until }, late(11 * time.Minute), bridge.IntentExpired, "ran out"},
		{
			"ran out, but it had been taken off before", lease(bridge.IntentObserved),
			func(j *slurm.Job) { j.EligibleTime = late(3 * time.Minute) },
			late(11 * time.Minute), bridge.IntentYielded, "begin time is now",
		},
		{"stands", lease(bridge.IntentObserved), func(j *slurm.Job) { j.EligibleTime = until }, late(time.Minute), bridge.IntentObserved, ""},
		{"its owner took it off", lease(bridge.IntentObserved), func(j *slurm.Job) { j.EligibleTime = noon }, late(time.Minute), bridge.IntentYielded, "begin time is now"},
		{"the job started", lease(bridge.IntentObserved), func(j *slurm.Job) { j.State = "RUNNING" }, late(time.Minute), bridge.IntentExpired, "started"},
		{"the job is gone", lease(bridge.IntentObserved), nil, late(time.Minute), bridge.IntentExpired, "gone"},
		{"the id is another's", lease(bridge.IntentObserved), func(j *slurm.Job) { j.Submit = noon }, late(time.Minute), bridge.IntentExpired, "another job"},
		{"the job ended before", lease(bridge.IntentAcked), func(j *slurm.Job) { j.State = "CANCELLED" }, noon, bridge.IntentExpired, "ended first"},

		{"priority seen", number(slurm.EditPriority, 9000, bridge.IntentAcked), func(j *slurm.Job) { j.Priority = 9000 }, noon, bridge.IntentObserved, ""},
		{"priority overwritten", number(slurm.EditPriority, 9000, bridge.IntentObserved), func(j *slurm.Job) { j.Priority = 8000 }, noon, bridge.IntentYielded, "priority is now 8000"},
		{"site factor seen by the step it makes", number(slurm.EditSiteFactor, 1<<20, bridge.IntentAcked), func(j *slurm.Job) { j.Priority += 1<<20 + 300 }, noon, bridge.IntentObserved, ""},
		{"site factor without effect", number(slurm.EditSiteFactor, 1<<20, bridge.IntentAcked), same, noon, bridge.IntentAcked, ""},
		{"site factor too small to tell from drift", number(slurm.EditSiteFactor, 100, bridge.IntentAcked), func(j *slurm.Job) { j.Priority += 30 }, noon, bridge.IntentObserved, ""},
		{"site factor on a priority that follows nothing", number(slurm.EditSiteFactor, 100, bridge.IntentAcked), same, noon, bridge.IntentAcked, ""},
		{"site factor stands", number(slurm.EditSiteFactor, 1<<20, bridge.IntentObserved), func(j *slurm.Job) { j.Priority += 1 << 20 }, noon, bridge.IntentObserved, ""},
		{"site factor stands whatever the priority says", number(slurm.EditSiteFactor, 1<<20, bridge.IntentObserved), func(j *slurm.Job) { j.Nice, j.Priority = 1e6, 1 }, noon, bridge.IntentObserved, ""},
		{"site factor of an eighth of the step", number(slurm.EditSiteFactor, 8000, bridge.IntentAcked), func(j *slurm.Job) { j.Priority += 1000 }, noon, bridge.IntentAcked, ""},
		{"site factor of half the step", number(slurm.EditSiteFactor, 8000, bridge.IntentAcked), func(j *slurm.Job) { j.Priority += 4000 }, noon, bridge.IntentObserved, ""},
		{"negative site factor of an eighth of the step", number(slurm.EditSiteFactor, -4000, bridge.IntentAcked), func(j *slurm.Job) { j.Priority -= 500 }, noon, bridge.IntentAcked, ""},
		{"negative site factor of half the step", number(slurm.EditSiteFactor, -4000, bridge.IntentAcked), func(j *slurm.Job) { j.Priority -= 2000 }, noon, bridge.IntentObserved, ""},
		{"site factor without answer, to the digit", number(slurm.EditSiteFactor, 20, bridge.IntentUnknown), func(j *slurm.Job) { j.Priority += 20 }, noon, bridge.IntentObserved, ""},
		{"site factor without answer, drift only", number(slurm.EditSiteFactor, 20, bridge.IntentUnknown), func(j *slurm.Job) { j.Priority += 3 }, noon, bridge.IntentUnknown, ""},
		{"site factor without answer, never felt", number(slurm.EditSiteFactor, 20, bridge.IntentUnknown), same, late(5 * time.Minute), bridge.IntentObserved, "no answer"},
		{"site factor that Slurm lets have no effect", polled(number(slurm.EditSiteFactor, 20, bridge.IntentAcked)), same, noon, bridge.IntentObserved, "do not show it"},
		{"nice seen", number(slurm.EditNice, -500, bridge.IntentAcked), func(j *slurm.Job) { j.Nice = -500 }, noon, bridge.IntentObserved, ""},
		{"nice below 0, which an old release hides", number(slurm.EditNice, -50, bridge.IntentAcked), func(j *slurm.Job) { j.IsNiceKnown, j.Priority = false, 5050 }, noon, bridge.IntentObserved, ""},
		{"nice above 0, which an old release would show", number(slurm.EditNice, 50, bridge.IntentAcked), func(j *slurm.Job) { j.IsNiceKnown, j.Priority = false, 4950 }, noon, bridge.IntentAcked, ""},
		{"hidden nice that stands", number(slurm.EditNice, -50, bridge.IntentObserved), func(j *slurm.Job) { j.IsNiceKnown = false }, noon, bridge.IntentObserved, ""},
		{"nice above 0 no longer shown", number(slurm.EditNice, 50, bridge.IntentObserved), func(j *slurm.Job) { j.IsNiceKnown = false }, noon, bridge.IntentYielded, "nice is now 0"},
		{"nice that is not taken: a direct priority", polled(number(slurm.EditNice, -500, bridge.IntentAcked)), same, noon, bridge.IntentYielded, "do not show it"},
		{"nice undone by its owner", number(slurm.EditNice, -500, bridge.IntentObserved), func(j *slurm.Job) { j.Nice = 3 }, noon, bridge.IntentYielded, "nice is now 3"},

		{"requeued", intent(slurm.EditRequeue, bridge.IntentAcked), func(j *slurm.Job) { j.Restarts = 1 }, noon, bridge.IntentObserved, ""},
		{"requeue done", intent(slurm.EditRequeue, bridge.IntentObserved), func(j *slurm.Job) { j.Restarts = 1 }, noon, bridge.IntentExpired, "done"},
		{"requeue not seen", intent(slurm.EditRequeue, bridge.IntentUnknown), func(j *slurm.Job) { j.State = "RUNNING" }, late(5 * time.Minute), bridge.IntentFailed, "no effect"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v := &slurm.View{At: tt.now, IsFullRead: true}
			if tt.job != nil {
				j := waiting()
				tt.job(&j)
				v.Jobs = []slurm.Job{j}
			} else {
				v.AddGoneJobs(waiting().ID)
			}
			got := ReplaceChangedIntents([]bridge.Intent{tt.in}, SettleIntents([]bridge.Intent{tt.in}, v, tt.now))[0]
			if got.State != tt.want || !strings.Contains(got.Error, tt.says) {
				t.Errorf("got %s (%s), want %s (%s)", got.State, got.Error, tt.want, tt.says)
			}
			if closed := !got.Closed.IsZero(); closed == (got.State.IsOpen() || got.State == bridge.IntentObserved) {
				t.Errorf("%s with closing time %v", got.State, got.Closed)
			}
		})
	}
}

func same(*slurm.Job) {}

// polled is an intent that all polls but the last allowed did not show.
func polled(in bridge.Intent) bridge.Intent {
	in.Polls = maxMissedPolls - 1
	return in
}

func TestAYesThatIsNeverSeenFails(t *testing.T) {
	in := lease(bridge.IntentAcked)
	v := &slurm.View{At: noon, Jobs: []slurm.Job{waiting()}}
	for range maxMissedPolls {
		in = ReplaceChangedIntents([]bridge.Intent{in}, SettleIntents([]bridge.Intent{in}, v, noon))[0]
	}
	if in.State != bridge.IntentFailed || !strings.Contains(in.Error, "Slurm said yes") {
		t.Errorf("after %d polls: %s (%s)", maxMissedPolls, in.State, in.Error)
	}
}

// TestOurOwnNextValueIsNoStrangers: while a newer value of ours is on its way,
// the older one is neither yielded nor undone.
func TestOurOwnNextValueIsNoStrangers(t *testing.T) {
	old, next := lease(bridge.IntentObserved), lease(bridge.IntentAcked)
	next.ID, next.Edit.Until = 2, noon.Add(20*time.Minute)
	j := waiting()
	j.EligibleTime = next.Edit.Until
	v := &slurm.View{At: noon.Add(time.Minute), Jobs: []slurm.Job{j}}
	intents := []bridge.Intent{old, next}
	intents = ReplaceChangedIntents(intents, SettleIntents(intents, v, v.At))
	if intents[0].State != bridge.IntentObserved || intents[1].State != bridge.IntentObserved {
		t.Fatalf("first poll: %s and %s, want both observed", intents[0].State, intents[1].State)
	}
	intents = ReplaceChangedIntents(intents, SettleIntents(intents, v, v.At))
	if intents[0].State != bridge.IntentExpired || intents[1].State != bridge.IntentObserved {
		t.Errorf("second poll: %s and %s, want the older one expired", intents[0].State, intents[1].State)
	}
	if in := NewIntentBook(intents).StandingIntent(j.CurrentRun(), slurm.FieldBeginTime, v.At); in == nil || in.ID != 2 {
		t.Errorf("standing: %v", in)
	}
}

func TestAJobWhosePriorityDoesNotFollowIsLeftAloneForADay(t *testing.T) {
	in := number(slurm.EditSiteFactor, 700, bridge.IntentObserved)
	in.Error, in.Polls = "Slurm said yes, but 2 polls do not show it", maxMissedPolls
	run := waiting()
	b := NewIntentBook([]bridge.Intent{in})
	if b.YieldedIntent(run.CurrentRun(), noon.Add(23*time.Hour)) == nil {
		t.Error("not left alone")
	}
	if b.YieldedIntent(run.CurrentRun(), noon.Add(25*time.Hour)) != nil {
		t.Error("left alone for longer than a day")
	}
	if b.StandingIntent(run.CurrentRun(), slurm.FieldSiteFactor, noon) == nil {
		t.Error("its number is not on the books")
	}
	in.Error, in.Polls = "no answer and no effect", 0
	if b := NewIntentBook([]bridge.Intent{in}); b.YieldedIntent(run.CurrentRun(), noon) != nil || b.StandingIntent(run.CurrentRun(), slurm.FieldSiteFactor, noon) == nil {
		t.Error("a call without answer: its job is left alone, or its number is not on the books")
	}
}

func TestUndoKeepsTheOwnersBegin(t *testing.T) {
	in := lease(bridge.IntentObserved)
	in.Before.Begin = noon.Add(5 * time.Minute)
	j := waiting()
	j.EligibleTime = in.Edit.Until
	got := UndoEdits([]bridge.Intent{in}, &slurm.View{At: noon, Jobs: []slurm.Job{j}}, noon)
	if len(got) != 1 || !got[0].Until.Equal(in.Before.Begin) {
		t.Errorf("got %v, want a begin time of %v", got, in.Before.Begin)
	}
}

func TestUndoWaitsForOpenOutcomes(t *testing.T) {
	ours, next := lease(bridge.IntentObserved), lease(bridge.IntentUnknown)
	next.ID = 2
	j := waiting()
	j.EligibleTime = ours.Edit.Until
	if got := UndoEdits([]bridge.Intent{ours, next}, &slurm.View{At: noon, Jobs: []slurm.Job{j}}, noon); len(got) > 0 {
		t.Errorf("got %v while an outcome is open", got)
	}
}

func TestWhatWasGivenBackStandsNoMore(t *testing.T) {
	j := waiting()
	for _, kind := range []slurm.EditKind{slurm.EditUnlease, slurm.EditHandBackPriority, slurm.EditSiteFactor, slurm.EditNice, slurm.EditRequireNodes, slurm.EditExcludeNodes} {
		in := intent(kind, bridge.IntentObserved)
		if got := NewIntentBook([]bridge.Intent{in}).StandingIntent(j.CurrentRun(), kind.Field(), noon); got != nil {
			t.Errorf("%s: %v still stands", kind, got.Edit)
		}
	}
}

// TestALeaseEndsOnceItsJobWasReadSince: an old record does not tell whether its owner took the lease off before.
func TestALeaseEndsOnceItsJobWasReadSince(t *testing.T) {
	j := waiting()
	j.EligibleTime = noon.Add(10 * time.Minute)
	rows := []bridge.Intent{lease(bridge.IntentObserved)}
	v := &slurm.View{At: noon.Add(11 * time.Minute), Jobs: []slurm.Job{j}}
	if got := SettleIntents(rows, v, v.At); len(got) > 0 {
		t.Errorf("by an old record: %v", got)
	}
	v.RereadJobs = []int64{j.ID}
	if got := SettleIntents(rows, v, v.At); len(got) != 1 || got[0].State != bridge.IntentExpired {
		t.Errorf("by a new one: %v, want it ended", got)
	}
}
