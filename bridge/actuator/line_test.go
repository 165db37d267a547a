package actuator

import (
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// TestAHiddenValueIsSentAgainAfterAStart: slurmctld was started since a site factor was sent, which
// nothing shows. It is believed as far as the priority shows it.
func TestAHiddenValueIsSentAgainAfterAStart(t *testing.T) {
	noon := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		name     string
		start    time.Duration // after noon, when it was sent
		priority int64         // 10,000 before 400 were added
		shown    bool
		want     bool
	}{
		{"no start since", -time.Hour, 10_000, false, false},
		{"the priority shows it", time.Hour, 10_400, false, false},
		{"and has drifted since", time.Hour, 10_550, false, false},
		{"the priority is the one without it", time.Hour, 10_000, false, true},
		{"the priority is another", time.Hour, 12_000, false, true},
		{"it is shown", time.Hour, 10_000, true, false},
	} {
		in := &bridge.Intent{Sent: noon, State: bridge.IntentObserved, Edit: slurm.Edit{Kind: slurm.EditSiteFactor, Value: 400}, Before: bridge.JobBefore{Priority: 10_000}}
		p := &linePlace{standingIntent: in, job: &slurm.Job{State: "PENDING", Priority: tt.priority, SiteFactor: 400, IsSiteFactorKnown: tt.shown}}
		g := &PartitionGoal{View: &slurm.View{ControllerStart: noon.Add(tt.start)}}
		if got := siteFactorLever.isValueInDoubt(g, p); got != tt.want {
			t.Errorf("%s: in doubt %v, want %v", tt.name, got, tt.want)
		}
	}
	if siteFactorLever.isValueInDoubt(&PartitionGoal{View: &slurm.View{ControllerStart: noon}}, &linePlace{}) {
		t.Error("no value of ours is in doubt")
	}
}

// TestANumberThatBackfillUndidIsWrittenAgain: the priority that Slurm uses is not the one that our number makes.
func TestANumberThatBackfillUndidIsWrittenAgain(t *testing.T) {
	noon := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	first, again := bridge.JobBefore{Priority: 10_000}, bridge.JobBefore{Priority: 10_400, OurValue: 400}
	for _, tt := range []struct {
		name   string
		undone bool
		before bridge.JobBefore
		ago    time.Duration
		want   bool
	}{
		{"undone", true, first, time.Minute, true},
		{"not undone", false, first, time.Minute, false},
		{"written again a minute ago, and not taken", true, again, time.Minute, false},
		{"written again six minutes ago", true, again, 6 * time.Minute, true},
	} {
		in := &bridge.Intent{
			Sent: noon.Add(-tt.ago), State: bridge.IntentObserved, Before: tt.before,
			Edit: slurm.Edit{Kind: slurm.EditSiteFactor, Value: 400},
		}
		job := slurm.Job{ID: 7, State: "PENDING", Priority: 10_400, SiteFactor: 400, IsSiteFactorKnown: true}
		job.IsPriorityUndone = tt.undone
		v := &slurm.View{At: noon, Jobs: []slurm.Job{job}}
		g := &PartitionGoal{View: v, Snapshot: &policy.Snapshot{Jobs: []policy.Job{{ID: 7}}}, IntentBook: oneIntent{in}}
		p, _ := siteFactorLever.placeForDecision(g, &policy.Decision{Job: 7})
		edits := siteFactorLever.appendPriorityEdit(g, nil, &p, p.CurrentPriority, "")
		if (len(edits) == 1) != tt.want || tt.want && edits[0].Value != 400 {
			t.Errorf("%s: %+v, want the number again: %v", tt.name, edits, tt.want)
		}
	}
}

// TestADirectPriorityThatBackfillUndidIsOurs: before 26.05.3 backfill puts back a priority that was set
// directly, too.
func TestADirectPriorityThatBackfillUndidIsOurs(t *testing.T) {
	in := &bridge.Intent{
		State: bridge.IntentAcked, Before: bridge.JobBefore{Priority: 700},
		Edit: slurm.Edit{Kind: slurm.EditPriority, Value: 900},
	}
	for priority, want := range map[int64]ValueOwner{900: OwnerUs, 700: OwnerUs, 800: OwnerOther} {
		if got := ValueOwnerOf(in, &slurm.Job{State: "PENDING", Priority: priority}); got != want {
			t.Errorf("priority %d is %s, want %s", priority, got, want)
		}
	}
	if ShowsEffect(in, &slurm.Job{State: "PENDING", Priority: 700}) {
		t.Error("a priority that was put back passes for the one that was written")
	}
}

// oneIntent is a ledger with one number of ours.
type oneIntent struct{ standing *bridge.Intent }

func (o oneIntent) StandingIntent(slurm.Run, slurm.Field, time.Time) *bridge.Intent {
	return o.standing
}
func (o oneIntent) YieldedIntent(slurm.Run, time.Time) *bridge.Intent            { return nil }
func (o oneIntent) HighestPossibleValue(slurm.Run, slurm.Field, time.Time) int64 { return 0 }

// TestAJobThatOurNumberPressesToTheBottomIsOrderedOn: Slurm's own part of a priority fell after a number of
// ours was written, so that the job stands at 1, where it would stay until all others have started.
func TestAJobThatOurNumberPressesToTheBottomIsOrderedOn(t *testing.T) {
	for _, tt := range []struct {
		name           string
		lever          *orderLever
		value, before  int64 // of the number, and what Slurm gave right before it
		priority, nice int64
		ok             bool
		want           int64 // what Slurm is taken to give
	}{
		{"a site factor, and what Slurm gave then is less than it took away", &siteFactorLever, -7222, 4333, 1, 0, true, 4333},
		{"a site factor, and Slurm gave more then", &siteFactorLever, -7222, 11000, 1, 0, true, 7223},
		{"a site factor that raises: the job is at the bottom by itself", &siteFactorLever, 300, 4333, 1, 0, false, -299},
		{"a site factor of a held job", &siteFactorLever, -7222, 4333, 0, 0, false, 7222},
		{"above the bottom", &siteFactorLever, -7222, 11000, 2, 0, true, 7224},
		{"a nice", &niceLever, 7222, 4333, 1, 7222, true, 4333},
		{"a nice, and Slurm gave more then", &niceLever, 7222, 11000, 1, 7222, true, 7223},
	} {
		in := &bridge.Intent{State: bridge.IntentObserved, Edit: slurm.Edit{Kind: tt.lever.editKind, Value: tt.value}, Before: bridge.JobBefore{Priority: tt.before}}
		g := &PartitionGoal{
			View:     &slurm.View{At: time.Unix(100, 0), Jobs: []slurm.Job{{ID: 7, State: "PENDING", Priority: tt.priority, Nice: tt.nice, IsNiceKnown: true}}},
			Snapshot: &policy.Snapshot{Jobs: []policy.Job{{ID: 7}}}, IntentBook: oneIntent{in},
		}
		p, ok := tt.lever.placeForDecision(g, &policy.Decision{Job: 7})
		if ok != tt.ok || p.SlurmPriority != tt.want {
			t.Errorf("%s: ordered %v, Slurm's own %d, want %v, %d", tt.name, ok, p.SlurmPriority, tt.ok, tt.want)
		}
	}
}
