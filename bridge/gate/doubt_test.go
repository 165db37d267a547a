package gate_test

import (
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/gate"
	"fairbridge/policy"
)

var doubtCases = []struct {
	name  string
	spoil func(in *gate.PlanInput)
	want  string // the one doubt's invariant; "": none
}{
	{"none", func(*gate.PlanInput) {}, ""},
	{"no view", func(in *gate.PlanInput) { in.View = nil }, "I13"},
	{"no snapshot", func(in *gate.PlanInput) { in.Snapshot = nil }, "I13"},
	{"no time", func(in *gate.PlanInput) { in.View.At = time.Time{} }, "I13"},
	{"stale", func(in *gate.PlanInput) { in.Now = noon.Add(15*time.Second + 1) }, "I13"},
	{"just in time", func(in *gate.PlanInput) { in.Now = noon.Add(15 * time.Second) }, ""},
	{"our clock went back", func(in *gate.PlanInput) { in.Now = noon.Add(-1) }, "I13"},
	{"old snapshot", func(in *gate.PlanInput) { in.Snapshot.Now = noon.Add(-21 * time.Second) }, "I13"},
	{"future snapshot", func(in *gate.PlanInput) { in.Snapshot.Now = noon.Add(1) }, "I13"},
	{"leadership", func(in *gate.PlanInput) { in.LeadershipLeft = 12*time.Second - 1 }, "I14"},
	{"leadership enough", func(in *gate.PlanInput) { in.LeadershipLeft = 12 * time.Second }, ""},
	{"leadership unused", func(in *gate.PlanInput) { in.LeadershipLeft, in.ModeByPartition["gpu"] = 0, bridge.ModeObserve }, ""},
	{"empties the cluster", func(in *gate.PlanInput) { in.Budgets.PlanStopFloor = 0; swapAll(in) }, ""},
	{"one device", func(in *gate.PlanInput) { in.Plan.Decisions[0].On = policy.Alloc{{Node: "n1", Count: 1}} }, ""},
	{"basis", func(in *gate.PlanInput) { in.Plan.SnapshotSeq++ }, "I19"},
	{"no plan", func(in *gate.PlanInput) { in.Plan = nil }, "I19"},
	{"a decision short", func(in *gate.PlanInput) { in.Plan.Decisions = in.Plan.Decisions[1:] }, "I19"},
	{"unsorted", func(in *gate.PlanInput) {
		d := in.Plan.Decisions
		d[0], d[1] = d[1], d[0]
	}, "I19"},
	{"unknown job", func(in *gate.PlanInput) { in.Plan.Decisions[7].Job = 99 }, "I19"},
	{"same rank", func(in *gate.PlanInput) { in.Plan.Decisions[0].Rank = 2 }, "I19"},
	{"no rank", func(in *gate.PlanInput) { in.Plan.Decisions[0].Rank = 0 }, "I19"},
	{"stops a waiting job", func(in *gate.PlanInput) { in.Plan.Decisions[0].Verb = policy.Stop }, "I19"},
	{"starts a running job", func(in *gate.PlanInput) { in.Plan.Decisions[7].Verb = policy.Start }, "I19"},
	{"unknown verb", func(in *gate.PlanInput) { in.Plan.Decisions[0].Verb = "kill" }, "I19"},
	{"negative GPUs", func(in *gate.PlanInput) { in.Plan.Decisions[0].GPUs = -1 }, "I19"},
	{"other cores", func(in *gate.PlanInput) { in.Plan.Decisions[0].Given = policy.Amounts{CPUs: 4} }, "I19"},
	{"no devices", func(in *gate.PlanInput) { in.Plan.Decisions[0].On = policy.Alloc{{Node: "n1"}} }, "I19"},
	{"no node", func(in *gate.PlanInput) { in.Plan.Decisions[0].On = policy.Alloc{{Count: 1}} }, "I19"},
	{"endless reason", func(in *gate.PlanInput) { in.Plan.Decisions[0].Why = string(make([]byte, 4097)) }, "I19"},
}

func swapAll(in *gate.PlanInput) {
	for i := int64(11); i <= 13; i++ {
		swap(in, i, i-10)
	}
}

func TestPlanDoubts(t *testing.T) {
	for _, c := range doubtCases {
		t.Run(c.name, func(t *testing.T) {
			in := planInput()
			c.spoil(&in)
			out := gate.FilterPlan(in)
			if got := refusals(out.Doubts, 0); got != c.want {
				t.Errorf("doubted by %q, want %q: %v", got, c.want, out.Doubts)
			}
			if in.Snapshot != nil && in.View != nil && len(out.Plan.Decisions) != len(in.Snapshot.Jobs) {
				t.Errorf("the plan has %d decisions", len(out.Plan.Decisions))
			}
			if c.want == "I19" && (len(out.Stops) > 0 || decision(out.Plan, 11).Verb != policy.Keep || decision(out.Plan, 1).Verb != policy.Wait) {
				t.Errorf("a malformed plan left traces: %v", out.Plan)
			}
		})
	}
}
