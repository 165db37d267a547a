package gate_test

import (
	"strings"
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/gate"
	"fairbridge/bridge/ledger"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

const grace = 2 * time.Minute

// graceful is a plan that stops job 11 for job 1, whose scripts are warned.
func graceful(t *testing.T) gate.PlanInput {
	t.Helper()
	s := world()
	s.NoticeByJob = map[int64]bridge.Notice{11: {Signal: slurm.USR1, Grace: grace}, 12: {Signal: slurm.USR1, Grace: grace}}
	p := quiet(&s)
	stopFor(&s, p, 11, 1)
	return gate.PlanInput{CommonInput: s, Plan: p}
}

// stopFor makes the plan stop a job for another, which starts in its place.
func stopFor(s *gate.CommonInput, p *policy.Plan, victim, to policy.JobID) {
	for i := range p.Decisions {
		d := &p.Decisions[i]
		switch d.Job {
		case victim:
			d.Verb, d.StoppedFor, d.On = policy.Stop, to, nil
		case to:
			d.Verb, d.On, d.GPUs = policy.Start, planJob(s, int64(victim)).On, 8
		}
	}
}

func verb(out *gate.PlanOutput, id policy.JobID) policy.Decision {
	for _, d := range out.Plan.Decisions {
		if d.Job == id {
			return d
		}
	}
	return policy.Decision{}
}

// ago is a warning of job 11's run that was sent so long ago.
func ago(s *gate.CommonInput, d time.Duration) gate.SentWarning {
	w := gate.SentWarning{Run: viewJob(s, 11).CurrentRun(), Stop: bridge.Stop{Job: 11, DecidedAt: noon.Add(-d), StopCost: bridge.StopCost{User: "u11", Account: "b", GPUs: 8, Beneficiary: 1}}}
	w.GraceEnd = s.Now.Add(grace - d)
	return w
}

// TestAStopIsWarnedOf: between the warning and the end of the grace the job
// runs on and the other waits; then it is stopped; long after it is not.
func TestAStopIsWarnedOf(t *testing.T) {
	for _, c := range []struct {
		name          string
		since         time.Duration // the warning; below 0: there was none
		warns, stops  int
		victim, other policy.Verb
		why           string
	}{
		{"never warned", -1, 1, 0, policy.Keep, policy.Wait, "makes room for job 1 if that is still wanted"},
		{"just warned", time.Second, 0, 0, policy.Keep, policy.Wait, "makes room"},
		{"almost", grace - time.Second, 0, 0, policy.Keep, policy.Wait, "makes room"},
		{"grace over", grace, 0, 1, policy.Stop, policy.Start, ""},
		{"a while later", grace + 10*time.Minute, 0, 1, policy.Stop, policy.Start, ""},
		{"warned in vain", grace + 11*time.Minute, 0, 0, policy.Keep, policy.Wait, "it was not stopped then"},
		{"long ago", 2 * time.Hour, 1, 0, policy.Keep, policy.Wait, "makes room"},
	} {
		in := graceful(t)
		if c.since >= 0 {
			in.RecentWarnings = []gate.SentWarning{ago(&in.CommonInput, c.since)}
		}
		out := gate.FilterPlan(in)
		v, o := verb(&out, 11), verb(&out, 1)
		if len(out.Warnings) != c.warns || len(out.Stops) != c.stops || v.Verb != c.victim || o.Verb != c.other || !strings.Contains(v.Why, c.why) {
			t.Errorf("%s: %d warnings, %d stops, 11: %s (%s), 1: %s (%s)", c.name, len(out.Warnings), len(out.Stops), v.Verb, v.Why, o.Verb, o.Why)
		}
		if c.warns > 0 && (out.Warnings[0].Signal != slurm.USR1 || out.Warnings[0].Grace != grace || out.Warnings[0].Beneficiary != 1) {
			t.Errorf("%s: warned %+v", c.name, out.Warnings[0])
		}
	}
}

// TestAWarningWithoutAnswerIsNone: a job whose warning nobody confirmed is not
// stopped.
func TestAWarningWithoutAnswerIsNone(t *testing.T) {
	in := graceful(t)
	w := ago(&in.CommonInput, time.Hour)
	w.GraceEnd = time.Time{}
	in.RecentWarnings = []gate.SentWarning{w}
	if out := gate.FilterPlan(in); len(out.Stops)+len(out.Warnings) > 0 || verb(&out, 11).Verb != policy.Keep {
		t.Errorf("%+v %+v", out.Stops, out.Warnings)
	}
}

// TestTheLastWarningCounts: a run that was warned long ago and again a minute ago is in its grace, in whatever
// order the ledger has them.
func TestTheLastWarningCounts(t *testing.T) {
	for _, minutes := range [][]int{{120, 1}, {1, 120}} {
		in := graceful(t)
		for _, m := range minutes {
			in.RecentWarnings = append(in.RecentWarnings, ago(&in.CommonInput, time.Duration(m)*time.Minute))
		}
		if out := gate.FilterPlan(in); len(out.Stops)+len(out.Warnings) > 0 || verb(&out, 11).Verb != policy.Keep {
			t.Errorf("warned %v minutes ago: stops %v, warnings %v", minutes, out.Stops, out.Warnings)
		}
	}
}

// TestWhatIsWarnedIsNotGivenTwice: while job 11 is warned to make room for job
// 1, no other job starts in its place, and no other job is warned for job 1.
func TestWhatIsWarnedIsNotGivenTwice(t *testing.T) {
	in := graceful(t)
	in.RecentWarnings = []gate.SentWarning{ago(&in.CommonInput, time.Minute)}
	for i := range in.Plan.Decisions {
		if d := &in.Plan.Decisions[i]; d.Job == 2 { // the policy's own plan counts on the stop
			d.Verb, d.On, d.GPUs = policy.Start, planJob(&in.CommonInput, 11).On, 8
		}
	}
	if out := gate.FilterPlan(in); verb(&out, 2).Verb != policy.Wait || verb(&out, 1).Verb != policy.Wait {
		t.Errorf("job 1: %s, job 2: %s", verb(&out, 1).Verb, verb(&out, 2).Verb)
	}
	in = graceful(t)
	in.RecentWarnings = []gate.SentWarning{ago(&in.CommonInput, time.Minute)}
	in.Plan = quiet(&in.CommonInput)
	stopFor(&in.CommonInput, in.Plan, 12, 1) // the policy has changed its mind
	in.Budgets.StopFloor, in.Budgets.StopFloor1h = 9, 9
	out := gate.FilterPlan(in)
	if len(out.Warnings)+len(out.Stops) > 0 || !strings.Contains(verb(&out, 12).Why, "warned to make room for job 1 already") {
		t.Errorf("job 12: %s (%s), %d warnings", verb(&out, 12).Verb, verb(&out, 12).Why, len(out.Warnings))
	}
}

// TestWarningsSpendTheBudgetOfStops: a policy that warns and does not stop is
// refused as one that stops.
func TestWarningsSpendTheBudgetOfStops(t *testing.T) {
	in := graceful(t) // by default one stop an hour on so few GPUs
	in.Plan = quiet(&in.CommonInput)
	stopFor(&in.CommonInput, in.Plan, 12, 2)
	in.RecentWarnings = []gate.SentWarning{ago(&in.CommonInput, 30*time.Minute)} // of job 11, which runs on
	out := gate.FilterPlan(in)
	if len(out.Warnings) > 0 || len(out.Refusals) == 0 || out.Refusals[0].Invariant != "I7" {
		t.Errorf("%d more warnings; refused %+v", len(out.Warnings), out.Refusals)
	}
	in.RecentStops = []bridge.Stop{{Job: 11, DecidedAt: noon.Add(-20 * time.Minute), StopCost: bridge.StopCost{User: "u11", Account: "b", GPUs: 8, Beneficiary: 1}}}
	in.Budgets.StopFloor1h = 2
	if out := gate.FilterPlan(in); len(out.Warnings) != 1 {
		t.Errorf("a warning and its stop count twice: %+v", out.Refusals)
	}
}

// TestWarningsOfACycleSpendTheBudget: of two warnings in one cycle the last look lets through as many as it would
// let through of stops, whatever the plan that was let through says.
func TestWarningsOfACycleSpendTheBudget(t *testing.T) {
	in := editInput() // by default one stop a cycle on so few GPUs
	s := graceful(t).CommonInput
	in.CommonInput = s
	for _, job := range []int64{11, 12} {
		e := edit(&s, job, slurm.EditWarn)
		e.Signal, e.Value = slurm.USR1, int64(grace/time.Second)
		in.Edits = append(in.Edits, e)
		stop := bridge.Stop{Job: job, DecidedAt: noon, StopCost: bridge.StopCost{GPUs: 8, Beneficiary: job - 10}}
		in.AllowedWarnings = append(in.AllowedWarnings, bridge.PlannedWarning{Stop: stop, Notice: s.NoticeByJob[job]})
	}
	if kept, refused := gate.FilterEdits(in); len(kept) != 1 || len(refused) != 1 || refused[0].Invariant != "I7" {
		t.Errorf("let through %v, refused %v", kept, refused)
	}
	in.Budgets.StopFloor, in.Budgets.StopFloor1h = 2, 2
	if kept, refused := gate.FilterEdits(in); len(kept) != 2 {
		t.Errorf("with a budget of two: let through %v, refused %v", kept, refused)
	}
}

// TestEditsOfWarnings: the last look believes nothing of the plan but the wish.
func TestEditsOfWarnings(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*gate.EditInput)
		kind   slurm.EditKind
		want   string
	}{
		{"warned first", func(*gate.EditInput) {}, slurm.EditWarn, ""},
		{"requeued unwarned", func(*gate.EditInput) {}, slurm.EditRequeue, "I6"},
		{"requeued within its grace", func(in *gate.EditInput) { in.RecentWarnings = []gate.SentWarning{ago(&in.CommonInput, time.Minute)} }, slurm.EditRequeue, "I6"},
		{"requeued after its grace", func(in *gate.EditInput) { in.RecentWarnings = []gate.SentWarning{ago(&in.CommonInput, grace)} }, slurm.EditRequeue, ""},
		{"warned twice", func(in *gate.EditInput) { in.RecentWarnings = []gate.SentWarning{ago(&in.CommonInput, time.Minute)} }, slurm.EditWarn, "I6"},
		{"warned again and again", func(in *gate.EditInput) { in.RecentWarnings = []gate.SentWarning{ago(&in.CommonInput, 90*time.Minute)} }, slurm.EditWarn, "I6"},
		{"not in the plan", func(in *gate.EditInput) { in.AllowedWarnings = nil }, slurm.EditWarn, "I8"},
		{"another signal", func(in *gate.EditInput) { in.Edits[0].Signal = slurm.TERM }, slurm.EditWarn, "I6"},
		{"another grace", func(in *gate.EditInput) { in.Edits[0].Value = 1 }, slurm.EditWarn, "I6"},
		{"no signal", func(in *gate.EditInput) { in.Edits[0].Signal = "" }, slurm.EditWarn, "I2"},
		{"kill", func(in *gate.EditInput) { in.Edits[0].Signal = "KILL" }, slurm.EditWarn, "I2"},
		{"a requeue with a signal", func(in *gate.EditInput) { in.Edits[0].Signal = slurm.USR1 }, slurm.EditRequeue, "I2"},
		{"not opted in", func(in *gate.EditInput) { planJob(&in.CommonInput, 11).UnstoppableReason = "no" }, slurm.EditWarn, "I5"},
		{"pending", func(in *gate.EditInput) { viewJob(&in.CommonInput, 11).State = "PENDING" }, slurm.EditWarn, "I5"},
		{"mode steer", func(in *gate.EditInput) { in.Mode = bridge.ModeSteer }, slurm.EditWarn, "I20"},
		{"held", func(in *gate.EditInput) { viewJob(&in.CommonInput, 11).IsHeld = true }, slurm.EditWarn, "I1"},
		{"open", func(in *gate.EditInput) {
			in.IntentBook = ledger.NewIntentBook([]bridge.Intent{{ID: 1, State: bridge.IntentUnknown, Edit: slurm.Edit{Run: viewJob(&in.CommonInput, 11).CurrentRun(), Kind: slurm.EditWarn}}})
		}, slurm.EditRequeue, "I5"},
	} {
		s := graceful(t).CommonInput
		stop := bridge.Stop{Job: 11, DecidedAt: noon, StopCost: bridge.StopCost{User: "u11", Account: "b", GPUs: 8, Beneficiary: 1}}
		e := slurm.Edit{Run: viewJob(&s, 11).CurrentRun(), Kind: c.kind, Tasks: 1}
		if c.kind == slurm.EditWarn {
			e.Signal, e.Value = slurm.USR1, int64(grace/time.Second)
		}
		in := gate.EditInput{
			CommonInput: s, Mode: bridge.ModePreempt, Edits: []slurm.Edit{e}, IntentBook: ledger.NewIntentBook(nil), AllowedStops: []bridge.Stop{stop},
			AllowedWarnings: []bridge.PlannedWarning{{Stop: stop, Notice: s.NoticeByJob[11]}}, LastSentByField: map[slurm.JobField]time.Time{},
		}
		c.change(&in)
		kept, refused := gate.FilterEdits(in)
		got := ""
		if len(refused) > 0 {
			got = string(refused[0].Invariant)
		}
		if got != c.want || (len(kept) == 1) != (c.want == "") {
			t.Errorf("%s: %q (%v), want %q", c.name, got, refused, c.want)
		}
	}
}
