package carbyne_test

import (
	"fmt"
	"testing"
	"time"

	"fairbridge/gear/policytest"
	"fairbridge/policy"
	"fairbridge/policy/paper"
	"fairbridge/policy/paper/carbyne"
)

// carbyneRun lets jobs of so many hours by workflow run on GPUs, asking the
// policy whenever one ends; said is what the policy is told of their lengths.
// It returns when each workflow ends.
func carbyneRun(t *testing.T, p policy.Policy, gpus int, hours, said map[string][]float64) map[string]float64 {
	t.Helper()
	s := &policy.Snapshot{Now: policytest.SnapshotTime, Nodes: []policy.Node{{Name: "n1", Partitions: []string{"gpu"}, GPUs: []policy.NodeDevices{{Type: "g", Count: gpus}}}}}
	left, ends := map[policy.JobID]float64{}, map[string]float64{}
	for _, flow := range []string{"A", "B"} {
		for i, h := range hours[flow] {
			id := policy.JobID(len(s.Jobs) + 1)
			s.Jobs = append(s.Jobs, policy.Job{ID: id, Name: fmt.Sprintf("%s-%d", flow, i), User: "u", Account: "acc", Partition: "gpu",
				State: policy.Pending, Arrive: policytest.SnapshotTime.Add(time.Duration(id) * time.Millisecond), Ask: policy.Ask{GPUs: policy.GPUs{Type: "g", Count: 1}},
				PredictedLeft: time.Duration(said[flow][i] * float64(time.Hour))})
			left[id] = h
		}
	}
	s.Now = s.Now.Add(time.Second)
	for len(s.Jobs) > 0 {
		plan, err := p.Decide(s)
		if err != nil {
			t.Fatal(err)
		}
		if err := plan.Check(s); err != nil {
			t.Fatal(err)
		}
		next := 1e9
		for i, d := range plan.Decisions {
			j := &s.Jobs[i]
			if d.Verb == policy.Stop {
				t.Fatalf("job %d is stopped", d.Job)
			}
			if d.Verb == policy.Start {
				j.State, j.On, j.Start, j.FirstStart = policy.Running, d.On, s.Now, s.Now
			}
			if j.HoldsGPUs() {
				next = min(next, left[j.ID])
			}
		}
		step := time.Duration(next * float64(time.Hour))
		s.Now = s.Now.Add(step)
		var rest []policy.Job
		for _, j := range s.Jobs {
			if j.HoldsGPUs() {
				left[j.ID] -= next
				j.PredictedLeft = max(j.PredictedLeft-step, time.Second)
				if left[j.ID] < 1e-9 {
					ends[j.Name[:1]] = s.Now.Sub(policytest.SnapshotTime).Hours()
					continue
				}
			}
			rest = append(rest, j)
		}
		s.Jobs, s.Memo = rest, plan.Memo
	}
	return ends
}

// TestCarbyneOfTheBrief is four GPUs and two workflows: of tasks of 3, 1 and 1
// hours, and of three of 1 hour. Fairness ends them after 3 and 2 hours,
// altruism after 3 and 1. With the first task thought to take 2 hours, A gives
// less away and ends no later.
func TestCarbyneOfTheBrief(t *testing.T) {
	hours := map[string][]float64{"A": {3, 1, 1}, "B": {1, 1, 1}}
	wrong := map[string][]float64{"A": {2, 1, 1}, "B": {1, 1, 1}}
	for name, c := range map[string]struct {
		params paper.Params
		said   map[string][]float64
		a, b   float64
	}{
		"altruism":         {nil, hours, 3, 1},
		"none is DRF":      {paper.Params{"altruism": 0.}, hours, 3, 2},
		"a wrong estimate": {nil, wrong, 3, 2},
	} {
		got := carbyneRun(t, policytest.NewPolicy(t, carbyne.System().New, c.params), 4, hours, c.said)
		if near := func(x, y float64) bool { return x > y-.01 && x < y+.01 }; !near(got["A"], c.a) || !near(got["B"], c.b) {
			t.Errorf("%s: %v, want A %g, B %g", name, got, c.a, c.b)
		}
	}
}
