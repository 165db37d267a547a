package push

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/ledger"
	"fairbridge/bridge/slurm"
	"fairbridge/gear/bridgetest"
)

var noon = bridgetest.Noon

// knows is what a decision was made from: the job as it was, and our values in
// it.
func knows(was *slurm.Job, intents ...bridge.Intent) knownJob {
	return knownJob{view: &slurm.View{At: noon}, viewedJob: was, intentBook: ledger.NewIntentBook(intents), clusterTime: noon, isWrittenByUs: func(slurm.Field) bool { return false }}
}

func TestMovedSeesWhatChangedSinceTheDecision(t *testing.T) {
	tests := []struct {
		name    string
		kind    slurm.EditKind
		job     func(*slurm.Job)
		gone    string
		changed string
	}{
		{"nothing", slurm.EditLease, func(*slurm.Job) {}, "", ""},
		{"another run", slurm.EditLease, func(j *slurm.Job) { j.Restarts = 1 }, "another run", ""},
		{"a reused id", slurm.EditSiteFactor, func(j *slurm.Job) { j.Submit = noon }, "another run", ""},
		{"held", slurm.EditSiteFactor, func(j *slurm.Job) { j.IsHeld = true }, "", "held"},
		{"started", slurm.EditLease, func(j *slurm.Job) { j.State = "RUNNING" }, "RUNNING now", ""},
		{"its owner's later begin", slurm.EditLease, func(j *slurm.Job) { j.EligibleTime = noon.Add(time.Hour) }, "", "begin time"},
		{"its owner's earlier begin", slurm.EditLease, func(j *slurm.Job) { j.EligibleTime = noon.Add(-2 * time.Hour) }, "", "begin time"},
		{"nice", slurm.EditNice, func(j *slurm.Job) { j.Nice = 9 }, "", "nice"},
		{"nice does not matter to a lease", slurm.EditLease, func(j *slurm.Job) { j.Nice = 9 }, "", ""},
		{"nice does not matter to a site factor", slurm.EditSiteFactor, func(j *slurm.Job) { j.Nice = 9 }, "", ""},
		{"required nodes", slurm.EditRequireNodes, func(j *slurm.Job) { j.RequiredNodes = slurm.ReadHosts("n2") }, "", "required nodes"},
		{"excluded nodes", slurm.EditExcludeNodes, func(j *slurm.Job) { j.ExcludedNodes = slurm.Hosts{} }, "", "excluded nodes"},
		{"a longer limit", slurm.EditSiteFactor, func(j *slurm.Job) { j.TimeLimit = 144 * time.Hour }, "time limit", ""},
		{"another partition", slurm.EditSiteFactor, func(j *slurm.Job) { j.Partitions = []string{"low"} }, "partition", ""},
		{"another account", slurm.EditLease, func(j *slurm.Job) { j.Account = "b" }, "account", ""},
		{"another QOS", slurm.EditLease, func(j *slurm.Job) { j.QOS = "high" }, "QOS", ""},
		{"more GPUs", slurm.EditRequireNodes, func(j *slurm.Job) { j.RequestedTRES = slurm.ReadTRES("gres/gpu=8") }, "request", ""},
		{"requeued, still cleaning up", slurm.EditNice, func(j *slurm.Job) { j.Flags = []string{"COMPLETING"} }, "cleans up", ""},
		{"no longer opted in", slurm.EditRequeue, func(j *slurm.Job) { j.Comment = "" }, "comment", ""},
	}
	for _, tt := range tests {
		was := bridgetest.NewWaitingJob()
		was.TimeLimit, was.Comment = time.Hour, "fairbridge:preemptible"
		is := was
		tt.job(&is)
		k := knows(&was)
		gone, changed := k.compareJob(slurm.Edit{Run: was.CurrentRun(), Kind: tt.kind, Value: 5}, &is)
		if !strings.Contains(gone, tt.gone) || !strings.Contains(changed, tt.changed) || (gone == "") != (tt.gone == "") || (changed == "") != (tt.changed == "") {
			t.Errorf("%s: gone %q changed %q, want %q and %q", tt.name, gone, changed, tt.gone, tt.changed)
		}
	}
}

// TestAJobThatBecameEligibleIsNobodysDoing: Slurm gives a job that has none its
// eligible time, for example when what it depends on ends. The lease is not sent, and
// nobody is taken to have changed the job, which would be left alone for a day.
func TestAJobThatBecameEligibleIsNobodysDoing(t *testing.T) {
	was := bridgetest.NewWaitingJob()
	was.EligibleTime = time.Time{}
	is := was
	is.EligibleTime = noon
	k := knows(&was)
	lease := bridge.Intent{Edit: slurm.Edit{Run: was.CurrentRun(), Kind: slurm.EditLease, Until: noon.Add(9 * time.Minute)}, State: bridge.IntentPlanned}
	if why, state := staleReason(&lease, &k, &is, nil); state != bridge.IntentVoid || !strings.Contains(why, "has become eligible") {
		t.Errorf("a lease of a job that has become eligible is %s: %q", state, why)
	}
	if gone, changed := k.compareJob(slurm.Edit{Run: was.CurrentRun(), Kind: slurm.EditSiteFactor, Value: 5}, &is); gone != "" || changed != "" {
		t.Errorf("an order of it: gone %q changed %q", gone, changed)
	}
}

// TestNothingIsWrittenOverAPerson: whatever is to be written, a value of ours
// that somebody changed ends it, in either direction; but what is ours is given
// back all the same.
func TestNothingIsWrittenOverAPerson(t *testing.T) {
	was := bridgetest.NewWaitingJob()
	was.EligibleTime, was.RequiredNodes, was.Nice = noon.Add(9*time.Minute), slurm.ReadHosts("n1"), 40
	ours := []bridge.Intent{
		{ID: 1, Edit: slurm.Edit{Run: was.CurrentRun(), Kind: slurm.EditLease, Until: was.EligibleTime}, State: bridge.IntentObserved},
		{ID: 2, Edit: slurm.Edit{Run: was.CurrentRun(), Kind: slurm.EditRequireNodes, Nodes: []string{"n1"}}, State: bridge.IntentObserved},
		{ID: 3, Edit: slurm.Edit{Run: was.CurrentRun(), Kind: slurm.EditNice, Value: 40}, State: bridge.IntentObserved},
		{ID: 4, Edit: slurm.Edit{Run: was.CurrentRun(), Kind: slurm.EditSiteFactor, Value: 40}, State: bridge.IntentObserved},
	}
	changes := map[string]func(*slurm.Job){
		"begin time":     func(j *slurm.Job) { j.EligibleTime = noon },
		"begin time is":  func(j *slurm.Job) { j.EligibleTime = noon.Add(2 * time.Hour) },
		"required nodes": func(j *slurm.Job) { j.RequiredNodes = slurm.ReadHosts("n2") },
		"nice is":        func(j *slurm.Job) { j.Nice = 0 },
		"nice":           func(j *slurm.Job) { j.Nice, j.IsNiceKnown = 0, false },
	}
	writes := []slurm.Edit{
		{Kind: slurm.EditLease, Until: noon.Add(19 * time.Minute)}, {Kind: slurm.EditSiteFactor, Value: 50},
		{Kind: slurm.EditRequireNodes, Nodes: []string{"n3"}}, {Kind: slurm.EditNice, Value: 60},
	}
	for what, change := range changes {
		for _, e := range writes {
			e.Run = was.CurrentRun()
			is := was
			change(&is)
			k := knows(&was, ours...)
			if gone, changed := k.compareJob(e, &is); gone != "" || !strings.Contains(changed, what) {
				t.Errorf("%s after %s: gone %q changed %q", e.Kind, what, gone, changed)
			}
		}
	}
	for _, change := range changes {
		is := was
		change(&is)
		k := knows(&was, ours...)
		if gone, changed := k.compareJob(slurm.Edit{Run: was.CurrentRun(), Kind: slurm.EditSiteFactor}, &is); gone != "" || changed != "" {
			t.Errorf("a site factor of ours is not given back: gone %q changed %q", gone, changed)
		}
	}
}

// TestBeforeKeepsTheOwnersValues: where a value of ours stands, what is to be
// given back is what stood there before it.
func TestBeforeKeepsTheOwnersValues(t *testing.T) {
	j := bridgetest.NewWaitingJob()
	ours := func(kind slurm.EditKind, e slurm.Edit, b bridge.JobBefore) *ledger.IntentBook {
		e.Kind, e.Run = kind, j.CurrentRun()
		return ledger.NewIntentBook([]bridge.Intent{{ID: 1, Edit: e, Before: b, State: bridge.IntentObserved}})
	}
	own := bridge.JobBefore{Begin: noon.Add(-3 * time.Hour), Nice: 5, Required: slurm.ReadHosts("n5"), Excluded: slurm.ReadHosts("n6")}
	if b := ledger.BeforeOfEdit(ours(slurm.EditLease, slurm.Edit{Until: noon.Add(time.Hour)}, own), &j, slurm.Edit{Kind: slurm.EditUnlease}, noon); !b.Begin.Equal(own.Begin) {
		t.Errorf("begin %v, the owner's was %v", b.Begin, own.Begin)
	}
	if b := ledger.BeforeOfEdit(ours(slurm.EditRequireNodes, slurm.Edit{Nodes: []string{"n1"}}, own), &j, slurm.Edit{Kind: slurm.EditRequireNodes}, noon); b.Required.Text != "n5" {
		t.Errorf("required %q, want the owner's n5", b.Required.Text)
	}
	if b := ledger.BeforeOfEdit(ours(slurm.EditExcludeNodes, slurm.Edit{Nodes: []string{"n9"}}, own), &j, slurm.Edit{Kind: slurm.EditExcludeNodes}, noon); b.Excluded.Text != "n6" {
		t.Errorf("excluded %q, want the owner's n6", b.Excluded.Text)
	}
	if b := ledger.BeforeOfEdit(ours(slurm.EditPriority, slurm.Edit{Value: 9000}, own), &j, slurm.Edit{Kind: slurm.EditPriority}, noon); b.Nice != 5 || b.OurValue != 9000 {
		t.Errorf("nice %d ours %d, want the owner's 5 and our 9000", b.Nice, b.OurValue)
	}
	if b := ledger.BeforeOfEdit(ours(slurm.EditNice, slurm.Edit{Value: 3}, own), &j, slurm.Edit{Kind: slurm.EditNice}, noon); b.Nice-b.OurValue != 5 {
		t.Errorf("nice %d of which ours %d, want the owner's 5 as the difference", b.Nice, b.OurValue)
	}
}

func TestOutcome(t *testing.T) {
	tests := []struct {
		err    error
		want   bridge.IntentState
		closed bool
	}{
		{nil, bridge.IntentAcked, false},
		{&slurm.Error{Class: slurm.ErrorJobGone}, bridge.IntentExpired, true},
		{&slurm.Error{Class: slurm.ErrorJobChanged}, bridge.IntentExpired, true},
		{&slurm.Error{Class: slurm.ErrorForbidden}, bridge.IntentFailed, true},
		{&slurm.Error{Class: slurm.ErrorBadRequest}, bridge.IntentFailed, true},
		{&slurm.Error{Class: slurm.ErrorBadToken}, bridge.IntentFailed, true},
		{&slurm.Error{Class: slurm.ErrorVersionNotServed}, bridge.IntentFailed, true},
		{&slurm.Error{Class: slurm.ErrorUnreachable}, bridge.IntentFailed, true},
		{&slurm.Error{Class: slurm.ErrorBusy}, bridge.IntentUnknown, false},
		{&slurm.Error{Class: slurm.ErrorOutcomeUnknown}, bridge.IntentUnknown, false},
		{&slurm.Error{Class: slurm.ErrorGarbledReply}, bridge.IntentUnknown, false},
		{errors.New("of no class"), bridge.IntentUnknown, false},
	}
	for _, tt := range tests {
		in := bridge.Intent{State: bridge.IntentSent}
		SetOutcome(&in, tt.err, noon)
		if in.State != tt.want || in.Closed.IsZero() == tt.closed {
			t.Errorf("%v: %s, closed %v; want %s, closed %v", tt.err, in.State, !in.Closed.IsZero(), tt.want, tt.closed)
		}
	}
}

// diary notes marks and calls in the order they happen.
type diary struct {
	bridge.Journal
	bridge.Cluster
	job   slurm.Job
	lines []string
	fail  bridge.IntentState // marking this state fails
}

func (d *diary) UpdateIntent(_ context.Context, in bridge.Intent) error {
	d.lines = append(d.lines, string(in.State))
	if in.State == d.fail {
		return errors.New("database gone")
	}
	return nil
}

func (d *diary) RereadJob(context.Context, int64) (slurm.Job, error) {
	d.lines = append(d.lines, "reread")
	return d.job, nil
}

func (d *diary) ApplyEdit(context.Context, slurm.Edit) error {
	d.lines = append(d.lines, "apply")
	return nil
}

func TestNothingIsSentThatIsNotWrittenDown(t *testing.T) {
	for _, tt := range []struct {
		fail bridge.IntentState
		want string
	}{
		{"", "reread SENT apply ACKED"},
		{bridge.IntentSent, "reread SENT"},
		{bridge.IntentAcked, "reread SENT apply ACKED"},
	} {
		j := bridgetest.NewWaitingJob()
		d := &diary{job: j, fail: tt.fail}
		e := slurm.Edit{Run: j.CurrentRun(), Kind: slurm.EditSiteFactor, Value: 5}
		p := Pusher{
			Ports:        Ports{Cluster: d, Journal: d, Now: func() time.Time { return noon }},
			CheckMayCall: func(context.Context) error { return nil },
			View:         &slurm.View{At: noon, Jobs: []slurm.Job{j}}, IntentBook: ledger.NewIntentBook(nil),
		}
		in := bridge.Intent{ID: 1, Edit: e, State: bridge.IntentPlanned, Before: ledger.BeforeOfEdit(ledger.NewIntentBook(nil), &j, e, noon)}
		_, err := p.Push(t.Context(), []bridge.Intent{in, in})
		if got := strings.Join(d.lines, " "); !strings.HasPrefix(got, tt.want) || (err != nil) != (tt.fail != "") {
			t.Errorf("with %q failing: %s (%v), want %s", tt.fail, got, err, tt.want)
		} else if tt.fail != "" && got != tt.want {
			t.Errorf("with %q failing it went on: %s", tt.fail, got)
		}
	}
}

// slowly is a Slurm that a call reaches late, after we stood still.
type slowly struct {
	*diary
	now *time.Time
}

func (s slowly) ApplyEdit(context.Context, slurm.Edit) error {
	*s.now = s.now.Add(5 * time.Minute)
	return nil
}

// TestSentIsWhenTheCallEnded: a daemon that stands still between the ledger and the
// call has just written the field when it goes on, whatever the ledger said before.
func TestSentIsWhenTheCallEnded(t *testing.T) {
	for kind, want := range map[slurm.EditKind]time.Time{slurm.EditSiteFactor: noon.Add(5 * time.Minute), slurm.EditHandBackPriority: noon} {
		j, now := bridgetest.NewWaitingJob(), noon
		d := &diary{job: j}
		p := Pusher{
			Ports:        Ports{Cluster: slowly{d, &now}, Journal: d, Now: func() time.Time { return now }},
			CheckMayCall: func(context.Context) error { return nil },
			View:         &slurm.View{At: noon, Jobs: []slurm.Job{j}}, IntentBook: ledger.NewIntentBook(nil),
		}
		in := bridge.Intent{ID: 1, Edit: slurm.Edit{Run: j.CurrentRun(), Kind: kind, Value: 5}, State: bridge.IntentPlanned}
		if done, err := p.Push(t.Context(), []bridge.Intent{in}); err != nil || !done[0].Sent.Equal(want) {
			t.Errorf("%s: %v, sent %v, want %v", kind, err, done[0].Sent, want)
		}
	}
}
