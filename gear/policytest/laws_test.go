package policytest

import (
	"fmt"
	"testing"

	"fairbridge/policy"
	"fairbridge/policy/backfill"
	"fairbridge/policy/engine"
)

// decide is a policy that is a function.
type decide func(*policy.Snapshot) (*policy.Plan, error)

func (f decide) Decide(s *policy.Snapshot) (*policy.Plan, error) { return f(s) }

// recorder is a test that notes its failure instead of failing.
type recorder struct{ failure string }

func (r *recorder) Helper() {}

func (r *recorder) Fatalf(format string, args ...any) {
	r.failure = fmt.Sprintf(format, args...)
	panic(r)
}

// breaks reports whether the policy breaks a law on the snapshot.
func breaks(s *policy.Snapshot, make func() policy.Policy, claims ...Claim) (broken bool) {
	r := &recorder{}
	defer func() {
		if p := recover(); p != nil && p != r {
			panic(p)
		}
		broken = r.failure != ""
	}()
	lawCheck{r, make, claims}.checkAll(s)
	return false
}

// honest is what the broken policies start from.
var honest = engine.Pipeline{Backfill: backfill.Greedy{}}

// altered decides honestly and then alters the decisions that apply.
func altered(change func(s *policy.Snapshot, j *policy.Job, d *policy.Decision)) func() policy.Policy {
	return func() policy.Policy {
		return decide(func(s *policy.Snapshot) (*policy.Plan, error) {
			plan, err := honest.Decide(s)
			for i := range plan.Decisions {
				d := &plan.Decisions[i]
				change(s, s.Job(d.Job), d)
			}
			return plan, err
		})
	}
}

// TestLawsCatch runs the laws over policies that each break one of them: some
// generated snapshot must show it.
func TestLawsCatch(t *testing.T) {
	calls := 0
	for name, make := range map[string]func() policy.Policy{
		"forgets a job": func() policy.Policy {
			return decide(func(s *policy.Snapshot) (*policy.Plan, error) {
				plan, err := honest.Decide(s)
				plan.Decisions = plan.Decisions[:max(len(plan.Decisions)-1, 0)]
				return plan, err
			})
		},
		"remembers the time as timeless": func() policy.Policy {
			return decide(func(s *policy.Snapshot) (*policy.Plan, error) {
				plan, err := honest.Decide(s)
				plan.Memo = policy.RememberTimeless(s.Now)
				return plan, err
			})
		},
		"starts none whose rank is not read": altered(func(s *policy.Snapshot, _ *policy.Job, d *policy.Decision) {
			if s.OmitRanks && d.Verb == policy.Start {
				d.Verb, d.On = policy.Wait, nil
			}
		}),
		"gives no reason": altered(func(_ *policy.Snapshot, _ *policy.Job, d *policy.Decision) { d.Why = "" }),
		"moves kept jobs": altered(func(s *policy.Snapshot, _ *policy.Job, d *policy.Decision) {
			if d.Verb == policy.Keep && len(d.On) > 0 && len(s.Nodes) > 1 {
				d.On = policy.Alloc{{Node: s.Nodes[0].Name, Type: d.On[0].Type, Count: d.On.Count() + 1}}
			}
		}),
		"stops what is fixed": altered(func(_ *policy.Snapshot, j *policy.Job, d *policy.Decision) {
			if j.UnstoppableReason != "" {
				d.Verb, d.On = policy.Stop, nil
			}
		}),
		"breaks gangs": altered(func(_ *policy.Snapshot, _ *policy.Job, d *policy.Decision) {
			if d.Verb == policy.Start && d.On.Count() > 1 {
				d.On = policy.Alloc{{Node: d.On[0].Node, Type: d.On[0].Type, Count: 1}}
			}
		}),
		"starts everything": altered(func(s *policy.Snapshot, j *policy.Job, d *policy.Decision) {
			if d.Verb == policy.Wait && j.CanStart(s.Now) && len(s.Nodes) > 0 {
				d.Verb, d.GPUs = policy.Start, j.Ask.GPUs.Count
				d.On = policy.Alloc{{Node: s.Nodes[0].Name, Type: s.Nodes[0].GPUs[0].Type, Count: d.GPUs}}
			}
		}),
		"writes to the snapshot": altered(func(_ *policy.Snapshot, j *policy.Job, _ *policy.Decision) { j.Name = "x" }),
		"has a memory of its own": altered(func(_ *policy.Snapshot, _ *policy.Job, d *policy.Decision) {
			calls++
			d.Why += fmt.Sprint(calls)
		}),
		"stops one job after the other": func() policy.Policy {
			return decide(func(s *policy.Snapshot) (*policy.Plan, error) {
				plan, err := honest.Decide(s)
				for i := range plan.Decisions {
					j, d := s.Job(plan.Decisions[i].Job), &plan.Decisions[i]
					if j.State == policy.Running && j.UnstoppableReason == "" && j.Ran(s.Now) > 0 {
						d.Verb, d.On = policy.Stop, nil
						break
					}
				}
				return plan, err
			})
		},
		"holds everybody": altered(func(_ *policy.Snapshot, j *policy.Job, d *policy.Decision) {
			if !j.HoldsGPUs() {
				d.Verb, d.On = policy.Hold, nil
			}
		}),
	} {
		t.Run(name, func(t *testing.T) {
			var claims []Claim
			if name == "holds everybody" {
				claims = []Claim{WorkConserving}
			}
			for seed := range 400 {
				if breaks(GenerateSnapshots().Example(seed), make, claims...) {
					return
				}
			}
			t.Error("keeps all laws, as far as 400 snapshots tell")
		})
	}
}

func TestHonestKeepsTheLaws(t *testing.T) {
	CheckLaws(t, func() policy.Policy { return honest }, WorkConserving)
}

// TestSnapshotsVary wants the generator to make what the laws are about.
func TestSnapshotsVary(t *testing.T) {
	seen := map[string]int{}
	note := func(what string, is bool) {
		if is {
			seen[what]++
		}
	}
	for seed := range 300 {
		s := GenerateSnapshots().Example(seed)
		for i := range s.Nodes {
			note("down", s.Nodes[i].DownReason != "")
			note("two types", len(s.Nodes[i].GPUs) > 1)
			note("sick", s.Nodes[i].GPUs[0].SickCount > 0)
		}
		for i := range s.Jobs {
			j := &s.Jobs[i]
			note(string(j.State), true)
			note("held", j.HeldReason != "")
			note("fixed", j.UnstoppableReason != "")
			note("array", j.Tasks > 1)
			note("elastic", j.MaxGPUs > 0)
			note("required", len(j.Ask.RequiredNodes) > 0)
			note("excluded", len(j.Ask.ExcludedNodes) > 0)
			note("two nodes", len(j.On.Nodes()) > 1)
			note("unplaced", j.UnplaceableReason != "")
			note("later", j.EligibleAt.After(s.Now))
		}
	}
	for _, what := range []string{"down", "two types", "sick", "pending", "running", "suspended", "held", "fixed", "array", "elastic",
		"required", "excluded", "two nodes", "unplaced", "later"} {
		if seen[what] < 10 {
			t.Errorf("%s: %d times in 300 snapshots", what, seen[what])
		}
	}
}
