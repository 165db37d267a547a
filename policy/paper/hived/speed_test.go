package hived_test

import (
	"fmt"
	"testing"
	"time"

	"fairbridge/gear/policytest"
	"fairbridge/policy"
	"fairbridge/policy/paper"
	"fairbridge/policy/paper/hived"
	"fairbridge/scripts/verify/part"
)

// TestDecidesInTime: 10,000 jobs of eight accounts on 4,096 GPUs are decided in a second of processor time,
// with cells for all accounts, for none, and with more than the nodes have; the second time with all
// that runs to be found again.
func TestDecidesInTime(t *testing.T) {
	part.Only(t, "speed")
	for name, number := range map[string]int{"cells": 24, "none": 0, "too many": 90} {
		s := policytest.BusyCluster(512, 10_000)
		var cells []any
		for i := range s.Jobs {
			s.Jobs[i].Account = fmt.Sprint("a", i%8)
		}
		for a := range 8 * min(number, 1) {
			cells = append(cells, fmt.Sprintf("a%d=%dx8", a, number), fmt.Sprintf("a%d=%dx4", a, 2*number), fmt.Sprintf("a%d=%dx1", a, 8*number))
		}
		p := policytest.NewPolicy(t, hived.System().New, paper.Params{"cells": cells})
		for _, round := range []string{"first", "next"} {
			var plan *policy.Plan
			took := policytest.LeastProcessorTime(t, 3, func() {
				var err error
				if plan, err = p.Decide(s); err != nil {
					t.Fatal(err)
				}
			})
			t.Logf("%s, %s round: %v", name, round, took)
			if took > time.Second {
				t.Errorf("%s, %s round: %v for %d jobs, want at most 1s", name, round, took, len(s.Jobs))
			}
			s = carryOut(s, plan)
		}
	}
}

// carryOut is the snapshot after a plan was carried out.
func carryOut(s *policy.Snapshot, plan *policy.Plan) *policy.Snapshot {
	next := *s
	next.Jobs = append([]policy.Job(nil), s.Jobs...)
	next.Memo, next.Now = plan.Memo, s.Now.Add(policytest.CycleInterval)
	for i, d := range plan.Decisions {
		switch d.Verb {
		case policy.Start:
			next.Jobs[i].State, next.Jobs[i].Start, next.Jobs[i].On = policy.Running, s.Now, d.On
		case policy.Stop:
			next.Jobs[i].State, next.Jobs[i].On = policy.Pending, nil
		}
	}
	return &next
}
