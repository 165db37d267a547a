package gate_test

import (
	"strings"
	"testing"
	"time"

	"fairbridge/bridge/gate"
	"fairbridge/policy"
)

func TestPlanKeepsAGangTogether(t *testing.T) {
	in := planInput()
	in.Budgets.StopFloor, in.Budgets.StopFloor1h = 4, 4
	planJob(&in.CommonInput, 1).Ask.GPUs.Count = 16
	swap(&in, 11, 1)
	swap(&in, 12, 1)
	decision(in.Plan, 1).On, decision(in.Plan, 1).GPUs = on("n1", "n2"), 16
	if out := gate.FilterPlan(in); len(out.Stops) != 2 || len(out.Refusals) != 0 {
		t.Fatalf("stops %v, refused %v; want both stopped", out.Stops, out.Refusals)
	}
	viewJob(&in.CommonInput, 12).Start = noon.Add(-time.Minute)
	out := gate.FilterPlan(in)
	if len(out.Stops) != 0 || refusals(out.Refusals, 11) != "I6" || refusals(out.Refusals, 12) != "I6" || refusals(out.Refusals, 1) != "I6" {
		t.Fatalf("stops %v, refused %v; want all three refused", out.Stops, out.Refusals)
	}
	if v := decision(out.Plan, 1).Verb; v != policy.Wait {
		t.Errorf("the job without room is to %s, want wait", v)
	}
	if why := decision(out.Plan, 1).Why; !strings.Contains(why, "no room is made for it: job 12 runs on: it ran 1m, at least ") {
		t.Errorf("the job without room waits because it %q, which does not say whose minute that is", why)
	}
}

func TestPlanServesTheFirstInLine(t *testing.T) {
	in := planInput()
	swap(&in, 11, 1)
	swap(&in, 12, 2)
	decision(in.Plan, 1).Rank, decision(in.Plan, 2).Rank = 2, 1
	out := gate.FilterPlan(in)
	if len(out.Stops) != 1 || out.Stops[0].Beneficiary != 2 {
		t.Fatalf("stops are %v, want the one for job 2, which ranks first", out.Stops)
	}
	if got := refusals(out.Refusals, 11); got != "I7" {
		t.Errorf("job 11 refused by %q, want I7", got)
	}
}

// A plan that cannot be read leaves the order that was accepted last.
func TestPlanUnchanged(t *testing.T) {
	in := planInput()
	in.LastSentPlan = quiet(&in.CommonInput)
	in.LastSentPlan.Decisions = in.LastSentPlan.Decisions[1:] // job 1 is new
	decision(in.LastSentPlan, 2).Rank, decision(in.LastSentPlan, 3).Rank = 3, 2
	in.Plan.Decisions = nil
	out := gate.FilterPlan(in)
	want := map[int64]int{3: 1, 2: 2, 4: 3, 11: 4, 12: 5, 13: 6, 14: 7, 1: 8}
	for job, rank := range want {
		if got := decision(out.Plan, job).Rank; got != rank {
			t.Errorf("job %d has rank %d, want %d", job, got, rank)
		}
	}
}

func TestPlanMoves(t *testing.T) {
	in := planInput()
	in.Snapshot.Nodes = append(in.Snapshot.Nodes, policy.Node{
		Name: "n5", Partitions: []string{"gpu"}, GPUs: []policy.NodeDevices{{Type: "a100", Count: 8}},
	})
	d := decision(in.Plan, 11)
	d.Verb, d.On = policy.Move, on("n5")
	if out := gate.FilterPlan(in); len(out.Stops) != 1 || out.Stops[0].Beneficiary != 11 {
		t.Errorf("stops %v, refused %v; want job 11 moved", out.Stops, out.Refusals)
	}
	d.On = on("n2")
	if out := gate.FilterPlan(in); refusals(out.Refusals, 11) != "I8" || decision(out.Plan, 11).Verb != policy.Keep {
		t.Errorf("refused %v; a move to a taken node must be kept by I8", out.Refusals)
	}
}

// TestPlanOfSeveralTypes: a job of Slurm cannot ask for GPUs of several types, so that one that a plan gives such, with
// a part of its batch for each, waits and is told why. That others are given several types at once, TestTypesOfStarts refuses.
func TestPlanOfSeveralTypes(t *testing.T) {
	in := planInput()
	d := decision(in.Plan, 1)
	planJob(&in.CommonInput, 1).Ask.GPUs.Count = 16
	d.Verb, d.On, d.GPUs = policy.Start, on("n1", "n2"), 16
	d.BatchShares = policy.BatchShares{{Type: d.On[0].Type, PerGPU: 1. / 16}}
	out := gate.FilterPlan(in)
	if got := decision(out.Plan, 1); refusals(out.Refusals, 1) != "I12" || got.Verb != policy.Wait || !strings.Contains(got.Why, "which one job of Slurm cannot ask for") {
		t.Errorf("%s %q, refused %v", got.Verb, got.Why, out.Refusals)
	}
}
