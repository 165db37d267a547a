package catalogue_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"fairbridge/gear/policytest"
	"fairbridge/policy"
)

// promising are the policies that promise jobs their deadlines.
var promising = []string{"chronus", "karuna"}

// TestPromises keeps the laws that need no clock on snapshots whose jobs have deadlines, predictions and speeds on other sizes, which those
// of TestLaws have not: plans are lawful and the same from a memo that was stored, no promise is taken back while nothing changes
// and GPUs alone matter, as they are counted, and at last no job is stopped any more.
func TestPromises(t *testing.T) {
	for _, name := range promising {
		t.Run(name, func(t *testing.T) {
			promised := 0
			rapid.Check(t, func(rt *rapid.T) {
				s := policytest.GenerateSnapshots().Draw(rt, "snapshot")
				plain := rapid.Bool().Draw(rt, "GPUs alone matter")
				if plain {
					clearConstraints(s)
				}
				addDeadlines(rt, s)
				p := mustNew(t, name, map[string]any{"max_wait": "0s"}) // who waited too long goes before all promises
				plan := decideLawfully(rt, p, s)
				next := policytest.ApplyPlan(s, plan)
				again := decideLawfully(rt, p, next)
				for i, d := range again.Decisions {
					if plain && strings.Contains(d.Why, "cannot be kept any more") {
						rt.Fatalf("job %d loses its promise though nothing changed: %s\n%s\n%s", d.Job, d.Why, policytest.DescribePlan(s, plan), policytest.DescribePlan(next, again))
					}
					if i < len(plan.Decisions) && strings.Contains(plan.Decisions[i].Why, "promised for its deadline") {
						promised++
					}
				}
				comesToRest(rt, p, next)
			})
			if promised == 0 {
				t.Error("no job was ever promised anything: the test shows nothing")
			}
		})
	}
}

// decideLawfully wants a lawful plan, and the same from a memo that was stored.
func decideLawfully(t *rapid.T, p policy.Policy, s *policy.Snapshot) *policy.Plan {
	plan, err := p.Decide(s)
	if err != nil {
		t.Fatal(err)
	}
	if err := plan.Check(s); err != nil {
		t.Fatalf("%v\n%s", err, policytest.DescribePlan(s, plan))
	}
	raw, err := s.Memo.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	stored := s.Clone()
	stored.Memo = policy.MemoFromJSON(raw)
	if s.Memo.IsZero() {
		stored.Memo = policy.Memo{}
	}
	same, err := p.Decide(stored)
	if err != nil || !same.Memo.Equal(plan.Memo) || policytest.DescribePlan(s, same) != policytest.DescribePlan(s, plan) {
		t.Fatalf("another plan from the stored memo: %v\n%s\n%s", err, policytest.DescribePlan(s, plan), policytest.DescribePlan(s, same))
	}
	return plan
}

// clearConstraints lets every job run wherever there are GPUs.
func clearConstraints(s *policy.Snapshot) {
	for i := range s.Nodes {
		n := &s.Nodes[i]
		n.Partitions, n.Windows, n.OtherUses, n.DownReason = []string{"batch", "long"}, nil, nil, ""
	}
	for i := range s.Jobs {
		s.Jobs[i].Ask, s.Jobs[i].Tasks = policy.Ask{GPUs: s.Jobs[i].Ask.GPUs}, 0
	}
}

// comesToRest wants plans that, while nothing changes, at last stop no job.
func comesToRest(t *rapid.T, p policy.Policy, s *policy.Snapshot) {
	for range 12 {
		plan, err := p.Decide(s)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(plan.Decisions, func(d policy.Decision) bool {
			return d.Verb == policy.Stop || d.Verb == policy.Resize || d.Verb == policy.Move
		}) {
			return
		}
		s = policytest.ApplyPlan(s, plan)
	}
	t.Fatal("after twelve plans jobs are still stopped")
}

// addDeadlines gives jobs deadlines, predictions and curves.
func addDeadlines(t *rapid.T, s *policy.Snapshot) {
	for i := range s.Jobs {
		j := &s.Jobs[i]
		if rapid.Bool().Draw(t, "deadline") {
			j.Deadline = s.Now.Add(time.Duration(rapid.IntRange(-60, 2000).Draw(t, "minutes")) * time.Minute)
		}
		if rapid.Bool().Draw(t, "predicted") {
			j.PredictedLeft = time.Duration(rapid.IntRange(1, 2000).Draw(t, "left")) * time.Minute
		}
		if rapid.Bool().Draw(t, "curve") && j.Ask.GPUs.Count > 0 {
			j.MinGPUs, j.MaxGPUs = 1, 4*j.Ask.GPUs.Count
			j.Scaling = &policy.Scaling{Source: policy.ScalingFromTable, SerialPart: rapid.Float64Range(0, .5).Draw(t, "serial")}
		}
	}
}
