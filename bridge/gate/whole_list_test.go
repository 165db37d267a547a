package gate_test

import (
	"strings"
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/gate"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// TestAWholeListBeforeAStop: by a view of which some records are old no job is stopped or warned,
// and the plan says so; a whole list is asked for only where a stop may be but for that.
func TestAWholeListBeforeAStop(t *testing.T) {
	const wholeList = "a whole list of jobs is read first"
	for _, c := range []struct {
		name  string
		spoil func(*gate.PlanInput)
		needs bool
		why   string // of job 11
	}{
		{"may be stopped", func(*gate.PlanInput) {}, true, wholeList},
		{"Slurm had not looked when the job was read", func(in *gate.PlanInput) {
			viewJob(&in.CommonInput, 1).Reason, viewJob(&in.CommonInput, 1).Submit = "None", noon.Add(-50*time.Second)
		}, true, wholeList},
		{"it lacked a licence when it was read", func(in *gate.PlanInput) {
			viewJob(&in.CommonInput, 1).Reason, viewJob(&in.CommonInput, 1).Licenses = "Priority", "solver:1"
		}, true, wholeList},
		{"Slurm was seen to preempt a job", func(in *gate.PlanInput) {
			viewJob(&in.CommonInput, 13).PreemptTime = noon.Add(-time.Minute)
		}, false, "preempted by Slurm itself"},
		{"its quantum", func(in *gate.PlanInput) { viewJob(&in.CommonInput, 11).Start = noon.Add(-time.Minute) }, false, "are its own"},
		{"no budget is left", func(in *gate.PlanInput) { other(in, 5, "u11", "x", 30*time.Minute) }, false, "this hour"},
		{"warned first", func(in *gate.PlanInput) {
			in.NoticeByJob = map[int64]bridge.Notice{11: {Signal: slurm.USR1, Grace: grace}}
		}, true, wholeList},
		{"its grace runs", func(in *gate.PlanInput) {
			in.NoticeByJob = map[int64]bridge.Notice{11: {Signal: slurm.USR1, Grace: grace}}
			in.RecentWarnings = []gate.SentWarning{ago(&in.CommonInput, time.Minute)}
		}, false, "makes room for job 1 if that is still wanted"},
		{"its grace is over", func(in *gate.PlanInput) {
			in.NoticeByJob = map[int64]bridge.Notice{11: {Signal: slurm.USR1, Grace: grace}}
			in.RecentWarnings = []gate.SentWarning{ago(&in.CommonInput, grace)}
		}, true, wholeList},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := planInput()
			swap(&in, 11, 1)
			in.View.IsFullRead = false
			c.spoil(&in)
			out := gate.FilterPlan(in)
			v, o := verb(&out, 11), verb(&out, 1)
			if len(out.Stops)+len(out.Warnings) > 0 || v.Verb != policy.Keep || o.Verb != policy.Wait || len(out.Doubts) > 0 {
				t.Errorf("%d stops, %d warnings, 11: %s, 1: %s, doubts %v", len(out.Stops), len(out.Warnings), v.Verb, o.Verb, out.Doubts)
			}
			if !strings.Contains(v.Why, c.why) || (c.why == wholeList) != strings.Contains(o.Why, wholeList) {
				t.Errorf("11: %s\n1: %s", v.Why, o.Why)
			}
			if out.NeedsFullRead != c.needs {
				t.Errorf("needs a whole list: %t", out.NeedsFullRead)
			}
		})
	}
}

// TestAStopIsAskedOnAWholeList: a stop that was let through is refused by the last look at a view
// of which some records are old, and so is its warning.
func TestAStopIsAskedOnAWholeList(t *testing.T) {
	for _, kind := range []slurm.EditKind{slurm.EditRequeue, slurm.EditWarn} {
		in := editInput()
		stop := bridge.Stop{Job: 11, DecidedAt: noon, StopCost: bridge.StopCost{User: "u11", Account: "b", GPUs: 8, Beneficiary: 1}}
		e := requeue(&in.CommonInput)
		in.AllowedStops = []bridge.Stop{stop}
		if kind == slurm.EditWarn {
			in.NoticeByJob = map[int64]bridge.Notice{11: {Signal: slurm.USR1, Grace: grace}}
			in.AllowedStops, in.AllowedWarnings = nil, []bridge.PlannedWarning{{Stop: stop, Notice: in.NoticeByJob[11]}}
			e.Kind, e.Signal, e.Value = kind, slurm.USR1, int64(grace.Seconds())
		}
		in.Edits = []slurm.Edit{e}
		for _, whole := range []bool{true, false} {
			in.View.IsFullRead = whole
			kept, refused := gate.FilterEdits(in)
			if got := len(kept) == 1; got != whole || !whole && (refused[0].Invariant != "I13" || !strings.Contains(refused[0].Why, "a whole list")) {
				t.Errorf("%s, whole list %t: sent %v, refused %v", kind, whole, kept, refused)
			}
		}
	}
}
