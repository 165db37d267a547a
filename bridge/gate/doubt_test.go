package gate_test

import (
	"fmt"
	"testing"
	"time"

	"fairbridge/bridge/gate"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// prior is a poll half a minute before the world's, showing the same.
func prior(in *gate.PlanInput) *slurm.View {
	p := *in.View
	p.At = noon.Add(-30 * time.Second)
	p.Jobs = append([]slurm.Job(nil), in.View.Jobs...)
	p.Nodes = append([]slurm.Node(nil), in.View.Nodes...)
	in.Prior = &p
	return &p
}

var doubtCases = []struct {
	name  string
	spoil func(in *gate.PlanInput)
	want  string // the one doubt's invariant; "": none
}{
	{"none", func(*gate.PlanInput) {}, ""},
	{"none with a prior", func(in *gate.PlanInput) { prior(in) }, ""},
	{"caller's", func(in *gate.PlanInput) { in.Doubts = []gate.Refusal{{Invariant: "I13", Why: "warming up"}} }, "I13"},
	{"no view", func(in *gate.PlanInput) { in.View = nil }, "I13"},
	{"no snapshot", func(in *gate.PlanInput) { in.Snapshot = nil }, "I13"},
	{"no time", func(in *gate.PlanInput) { in.View.At = time.Time{} }, "I13"},
	{"slow clock", func(in *gate.PlanInput) { shift(in, -6*time.Second) }, "I13"},
	{"fast clock", func(in *gate.PlanInput) { shift(in, 6*time.Second) }, "I13"},
	{"close clock", func(in *gate.PlanInput) { shift(in, 5*time.Second) }, ""},
	{"stale", func(in *gate.PlanInput) { in.Now = noon.Add(15*time.Second + 1) }, "I13"},
	{"just in time", func(in *gate.PlanInput) { in.Now = noon.Add(15 * time.Second) }, ""},
	{"our clock went back", func(in *gate.PlanInput) { in.Now = noon.Add(-1) }, "I13"},
	{"old snapshot", func(in *gate.PlanInput) { in.Snapshot.Now = noon.Add(-21 * time.Second) }, "I13"},
	{"future snapshot", func(in *gate.PlanInput) { in.Snapshot.Now = noon.Add(1) }, "I13"},
	{"leadership", func(in *gate.PlanInput) { in.Leadership = 12*time.Second - 1 }, "I14"},
	{"leadership enough", func(in *gate.PlanInput) { in.Leadership = 12 * time.Second }, ""},
	{"leadership unused", func(in *gate.PlanInput) { in.Leadership, in.Modes["gpu"] = 0, gate.Observe }, ""},
	{"sentinel gone", func(in *gate.PlanInput) { in.Sentinel = 999 }, "I13"},
	{"sentinel there", func(in *gate.PlanInput) { in.Sentinel = 3 }, ""},
	{"other cluster", func(in *gate.PlanInput) { prior(in).Cluster = "d" }, "I13"},
	{"restart", func(in *gate.PlanInput) { prior(in).Started, in.View.Started = noon.Add(-9e9), noon.Add(-8e9) }, "I13"},
	{"start not known", func(in *gate.PlanInput) { prior(in).Started = noon.Add(-9e9) }, ""},
	{"start not known before", func(in *gate.PlanInput) { prior(in); in.View.Started = noon.Add(-9e9) }, ""},
	{"Slurm's clock went back", func(in *gate.PlanInput) { prior(in).At = noon.Add(1) }, "I13"},
	{"jobs vanished", func(in *gate.PlanInput) { vanish(in, 11) }, "I13"},
	{"few jobs vanished", func(in *gate.PlanInput) { vanish(in, 10) }, ""},
	{"jobs ended", func(in *gate.PlanInput) {
		p := vanish(in, 11)
		for i := range p.Jobs {
			p.Jobs[i].State = "COMPLETED"
		}
	}, ""},
	{"nodes vanished", func(in *gate.PlanInput) {
		p := prior(in)
		p.Nodes = append(p.Nodes, slurm.Node{Name: "n5"}, slurm.Node{Name: "n6"})
	}, "I13"},
	{"a fifth of the nodes vanished", func(in *gate.PlanInput) {
		p := prior(in)
		p.Nodes = append(p.Nodes, slurm.Node{Name: "n5"})
	}, ""},
	{"state went back", func(in *gate.PlanInput) { prior(in).Jobs[2].Restarts = 1 }, "I13"},
	{"id reused", func(in *gate.PlanInput) {
		p := prior(in)
		p.Jobs[2].Restarts, p.Jobs[2].Submit = 1, noon.Add(-100*time.Hour)
	}, ""},
	{"empties the cluster", func(in *gate.PlanInput) { in.Config.PlanStopFloor = 2; swapAll(in) }, "I7"},
	{"stops a few", func(in *gate.PlanInput) { in.Config.PlanStopFloor = 3; swapAll(in) }, ""},
	{"stops its share", func(in *gate.PlanInput) {
		in.Config.PlanStopFloor, in.Config.PlanStopPercent = 2, 75
		swapAll(in)
	}, ""},
	{"one device", func(in *gate.PlanInput) { in.Plan.Decisions[0].On = policy.Alloc{{Node: "n1", Count: 1}} }, ""},
	{"basis", func(in *gate.PlanInput) { in.Plan.Basis++ }, "I19"},
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
	{"no devices", func(in *gate.PlanInput) { in.Plan.Decisions[0].On = policy.Alloc{{Node: "n1"}} }, "I19"},
	{"no node", func(in *gate.PlanInput) { in.Plan.Decisions[0].On = policy.Alloc{{Count: 1}} }, "I19"},
	{"endless reason", func(in *gate.PlanInput) { in.Plan.Decisions[0].Why = string(make([]byte, 4097)) }, "I19"},
}

// shift moves Slurm's clock, and with it the snapshot's, away from ours.
func shift(in *gate.PlanInput, by time.Duration) {
	in.View.At, in.Snapshot.Now = noon.Add(by), noon.Add(by)
}

// vanish lets the prior list n jobs more.
func vanish(in *gate.PlanInput, n int) *slurm.View {
	p := prior(in)
	for i := range n {
		p.Jobs = append(p.Jobs, slurm.Job{ID: int64(900 + i), State: "PENDING"})
	}
	return p
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
			mode := in.Modes["gpu"]
			out := gate.Plan(in)
			if c.want != "" {
				mode = gate.Observe
			}
			if out.Mode != mode {
				t.Errorf("mode is %s, want %s", out.Mode, mode)
			}
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

func TestPlanNeverRaisesTheMode(t *testing.T) {
	for _, m := range append(gate.Modes, "", "nonsense") {
		in := planInput()
		in.Modes["gpu"], in.View.At = m, time.Time{}
		if out := gate.Plan(in); out.Mode.Allows(gate.Rank) || m == gate.Off && out.Mode != gate.Off {
			t.Errorf("in doubt mode %q became %q", m, out.Mode)
		}
		delete(in.Modes, "gpu")
		if out := gate.Plan(in); out.Mode != gate.Off {
			t.Errorf("a partition without a mode got %q", out.Mode)
		}
	}
}

func TestInvariantTable(t *testing.T) {
	for i, v := range gate.Invariants {
		if want := fmt.Sprintf("I%d", i+1); v.ID != want || v.Text == "" || gate.Text(want) != v.Text {
			t.Errorf("entry %d is %+v, want %s with a text", i, v, want)
		}
	}
	if len(gate.Invariants) != 20 || gate.Text("I21") != "" {
		t.Errorf("%d invariants, I21 is %q", len(gate.Invariants), gate.Text("I21"))
	}
}
