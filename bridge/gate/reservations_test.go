package gate_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/gate"
	"fairbridge/policy"
)

// setAside sets nodes aside from so long after noon on, for two hours.
func setAside(in *gate.PlanInput, from time.Duration, nodes ...string) {
	for _, name := range nodes {
		n := in.Snapshot.Node(name)
		n.Windows = []policy.Window{{From: noon.Add(from), To: noon.Add(from + 2*time.Hour), Name: "m1", IsMaintenance: true}}
	}
}

var everywhere = []string{"n1", "n2", "n3", "n4"}

// stopped notes that job 12 was stopped for another so long before noon.
func stoppedFor(in *gate.PlanInput, to int64, ago time.Duration) *bridge.Stop {
	in.Budgets.StopFloor1h, in.Budgets.StopFloor = 10, 10
	in.RecentStops = []bridge.Stop{{Job: 12, DecidedAt: noon.Add(-ago), SentAt: noon.Add(-ago), StopCost: bridge.StopCost{User: "u12", Account: "b", GPUs: 8, Beneficiary: to}}}
	return &in.RecentStops[0]
}

// The gate refuses what reaches into a time in which nodes are set aside, and
// stops nobody in vain twice.
var asideCases = []planCase{
	{"start before it", policy.Start, func(in *gate.PlanInput) { setAside(in, 24*time.Hour, everywhere...) }, ""},
	{"start that reaches into it", policy.Start, func(in *gate.PlanInput) { setAside(in, 23*time.Hour, everywhere...) }, "I21"},
	{"start without a limit", policy.Start, func(in *gate.PlanInput) {
		setAside(in, 1000*time.Hour, everywhere...)
		planJob(&in.CommonInput, 2).Limit = 0
	}, "I21"},
	{"start on a part", policy.Start, func(in *gate.PlanInput) {
		setAside(in, 0, everywhere...)
		for i := range in.Snapshot.Nodes {
			in.Snapshot.Nodes[i].Windows[0].CPUs = 4
		}
	}, ""},
	{"stop for who reaches into it", policy.Stop, func(in *gate.PlanInput) { setAside(in, time.Hour, "n1") }, "I21"},
	{"stop for who only just does not", policy.Stop, func(in *gate.PlanInput) { setAside(in, 24*time.Hour+59*time.Second, "n1") }, "I21"},
	{"stop for who ends before", policy.Stop, func(in *gate.PlanInput) { setAside(in, 24*time.Hour+time.Minute, "n1") }, ""},
	{"stop of who could not start again", policy.Stop, func(in *gate.PlanInput) {
		setAside(in, time.Hour, everywhere...)
		planJob(&in.CommonInput, 1).Limit = 30 * time.Minute
	}, "I27"},
	{"stop of who could start elsewhere", policy.Stop, func(in *gate.PlanInput) {
		setAside(in, time.Hour, "n1", "n2", "n3")
		planJob(&in.CommonInput, 1).Limit = 30 * time.Minute
	}, ""},
	{"Slurm says its nodes are reserved", policy.Stop, func(in *gate.PlanInput) { viewJob(&in.CommonInput, 1).Reason = "ReqNodeNotAvail" }, "I8"},
	{"reservations not read for a while", policy.Stop, func(in *gate.PlanInput) {
		in.View.StaleReservationsReason, in.View.ReservationsAt = "no answer", noon.Add(-9*time.Minute)
	}, ""},
	{"reservations not read for long", policy.Stop, func(in *gate.PlanInput) {
		in.View.StaleReservationsReason, in.View.ReservationsAt = "no answer", noon.Add(-11*time.Minute)
	}, "I21"},
	{"reservations never read", policy.Stop, func(in *gate.PlanInput) { in.View.StaleReservationsReason = "no answer" }, "I21"},
	{"starts go on without them", policy.Start, func(in *gate.PlanInput) { in.View.StaleReservationsReason = "no answer" }, ""},

	{"a stop in vain", policy.Stop, func(in *gate.PlanInput) { stoppedFor(in, 3, 3*time.Minute) }, "I22"},
	{"a stop that may still help", policy.Stop, func(in *gate.PlanInput) { stoppedFor(in, 3, 2*time.Minute) }, ""},
	{"a stop in vain long ago", policy.Stop, func(in *gate.PlanInput) { stoppedFor(in, 3, 30*time.Minute) }, ""},
	{"a stop that is not known to have been made", policy.Stop, func(in *gate.PlanInput) { stoppedFor(in, 3, 3*time.Minute).SentAt = time.Time{} }, ""},
	{"its job started", policy.Stop, func(in *gate.PlanInput) { stoppedFor(in, 13, 3*time.Minute) }, ""},
	{"its owner no longer asks for GPUs", policy.Stop, func(in *gate.PlanInput) {
		stoppedFor(in, 3, 3*time.Minute)
		in.Snapshot.Jobs = slices.DeleteFunc(in.Snapshot.Jobs, func(j policy.Job) bool { return j.ID == 3 })
		in.Plan.Decisions = slices.DeleteFunc(in.Plan.Decisions, func(d policy.Decision) bool { return d.Job == 3 })
	}, "I22"},
	{"its job waits in another partition", policy.Stop, func(in *gate.PlanInput) {
		stoppedFor(in, 3, 3*time.Minute)
		viewJob(&in.CommonInput, 3).Partitions = []string{"other"}
	}, ""},
	{"its job left", policy.Stop, func(in *gate.PlanInput) { stoppedFor(in, 99, 3*time.Minute) }, ""},
	{"its job ran and waits again", policy.Stop, func(in *gate.PlanInput) {
		stoppedFor(in, 3, 10*time.Minute)
		viewJob(&in.CommonInput, 3).Submit = noon.Add(-5 * time.Minute)
	}, ""},
	{"the room is not there yet", policy.Stop, func(in *gate.PlanInput) {
		stoppedFor(in, 3, 3*time.Minute)
		viewJob(&in.CommonInput, 12).Flags = []string{"COMPLETING"}
	}, ""},
	{"a move waits for its requeue delay", policy.Stop, func(in *gate.PlanInput) {
		stoppedFor(in, 3, 3*time.Minute).Job = 3
		viewJob(&in.CommonInput, 3).EligibleTime = noon.Add(time.Second)
	}, ""},
	{"a move in vain", policy.Stop, func(in *gate.PlanInput) { stoppedFor(in, 3, 3*time.Minute).Job = 3 }, "I22"},
}

func TestAside(t *testing.T) {
	for _, c := range asideCases {
		t.Run(c.name, c.check)
	}
}

// A pause is told, with the jobs and its end, also when nobody is to be stopped;
// the order and the starts go on.
func TestPauseIsTold(t *testing.T) {
	in := planInput()
	stoppedFor(&in, 3, 3*time.Minute)
	viewJob(&in.CommonInput, 3).Reason = "Resources"
	d := decision(in.Plan, 2)
	d.Verb = policy.Start
	out := gate.FilterPlan(in)
	for _, part := range []string{"job 12 was stopped for job 3 at 2026-03-02T11:57:00Z", "Slurm: Resources", "until 2026-03-02T12:27:00Z"} {
		if !strings.Contains(out.StopPauseReason, part) {
			t.Errorf("%q does not say %q", out.StopPauseReason, part)
		}
	}
	if decision(out.Plan, 2).Verb != policy.Start || len(out.Doubts) > 0 {
		t.Errorf("more than stops is paused: %+v", out)
	}
	if gate.FilterPlan(planInput()).StopPauseReason != "" {
		t.Error("a pause without a stop")
	}
}
