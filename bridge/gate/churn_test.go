package gate_test

import (
	"math/bits"
	"testing"

	"pgregory.net/rapid"

	"fairbridge/bridge/gate"
	"fairbridge/policy"
)

// queue is a world of n waiting jobs and a plan that ranks them as given.
func queue(order []int) gate.PlanInput {
	s := world()
	s.Snapshot.Jobs, s.View.Jobs = nil, nil
	for i := range order {
		waits(&s, int64(i+1))
	}
	return gate.PlanInput{CommonInput: s, Plan: ranked(&s, order)}
}

// ranked is the quiet plan with job i+1 at rank order[i]+1.
func ranked(s *gate.CommonInput, order []int) *policy.Plan {
	p := quiet(s)
	for i, r := range order {
		p.Decisions[i].Rank = r + 1
	}
	return p
}

func straight(n int) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	return order
}

func backward(n int) []int {
	order := straight(n)
	for i := range order {
		order[i] = n - 1 - i
	}
	return order
}

// moved counts the jobs that stand in another band than before: place 0, places
// 1–2, 3–6 and so on.
func moved(a, b *policy.Plan) int {
	n := 0
	for i := range a.Decisions {
		if bits.Len(uint(a.Decisions[i].Rank)) != bits.Len(uint(b.Decisions[i].Rank)) {
			n++
		}
	}
	return n
}

func TestPlanChurn(t *testing.T) {
	in := queue(backward(200))
	in.LastPolicyPlan, in.LastSentPlan = ranked(&in.CommonInput, straight(200)), ranked(&in.CommonInput, straight(200))
	out := gate.FilterPlan(in)
	if refusals(out.Doubts, 0) != "I11" {
		t.Errorf("an overturned order gave doubts %v", out.Doubts)
	}
	in.LastPolicyPlan = in.Plan // the policy stands by it
	out = gate.FilterPlan(in)
	if len(out.Doubts) != 0 || len(out.Refusals) == 0 {
		t.Fatalf("doubts %v, %d refusals; want a slow turn", out.Doubts, len(out.Refusals))
	}
	for range 20 {
		if got := moved(in.LastSentPlan, out.Plan); got > 50 {
			t.Fatalf("%d jobs changed band in one interval", got)
		}
		in.LastSentPlan = out.Plan
		out = gate.FilterPlan(in)
	}
	if got := moved(in.Plan, out.Plan); got != 0 || len(out.Refusals) != 0 {
		t.Errorf("after 20 intervals %d jobs are still in another band", got)
	}
}

func TestPlanChurnFloor(t *testing.T) {
	in := queue(backward(50))
	in.LastPolicyPlan, in.LastSentPlan = ranked(&in.CommonInput, straight(50)), ranked(&in.CommonInput, straight(50))
	if out := gate.FilterPlan(in); len(out.Doubts)+len(out.Refusals) != 0 {
		t.Errorf("a short queue must be ordered at once: %v %v", out.Doubts, out.Refusals)
	}
}

func TestPlanChurnNewJobs(t *testing.T) {
	in := queue(backward(200))
	in.LastPolicyPlan, in.LastSentPlan = &policy.Plan{}, &policy.Plan{}
	if out := gate.FilterPlan(in); len(out.Doubts)+len(out.Refusals) != 0 {
		t.Errorf("new jobs are no churn: %v %v", out.Doubts, out.Refusals)
	}
}

func TestPlanChurnStaysWithin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 60).Draw(t, "n")
		in := queue(rapid.Permutation(straight(n)).Draw(t, "wanted"))
		in.Budgets.ChurnFloor = rapid.IntRange(0, 20).Draw(t, "floor")
		in.Budgets.ChurnPercent = float64(rapid.IntRange(0, 50).Draw(t, "percent"))
		in.LastSentPlan = ranked(&in.CommonInput, rapid.Permutation(straight(n)).Draw(t, "was"))
		out := gate.FilterPlan(in)
		allowed := max(in.Budgets.ChurnFloor, int(in.Budgets.ChurnPercent*float64(n)/100))
		if got := moved(in.LastSentPlan, out.Plan); got > allowed {
			t.Fatalf("%d jobs changed band, %d may", got, allowed)
		}
		seen := map[int]bool{}
		for _, d := range out.Plan.Decisions {
			if d.Rank < 1 || d.Rank > n || seen[d.Rank] {
				t.Fatalf("rank %d of job %d is out of range or taken", d.Rank, d.Job)
			}
			seen[d.Rank] = true
		}
	})
}
