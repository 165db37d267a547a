package harmony

import (
	"fmt"
	"testing"
	"time"

	"fairbridge/gear/policytest"
	"fairbridge/policy"
	"fairbridge/scripts/verify/part"
)

// TestDecidesInTime: 10,000 jobs on 4,096 GPUs, all of which report and have classes, are decided in a second of processor time,
// on a busy cluster and on one of which half is free.
func TestDecidesInTime(t *testing.T) {
	part.Only(t, "speed")
	for name, runEvery := range map[string]int{"busy": 1, "half of it free": 2} {
		s := policytest.BusyCluster(512, 10_000)
		kept := s.Jobs[:0]
		for i, j := range s.Jobs {
			j.Class = fmt.Sprint("class ", i%12)
			if j.HoldsGPUs() && i%runEvery == 0 {
				j.Training = &policy.Training{Steps: 1e9, StepsDone: float64(i)}
			} else if j.HoldsGPUs() {
				j.State, j.On, j.Start = policy.Pending, nil, time.Time{}
			}
			kept = append(kept, j)
		}
		s.Jobs = kept
		p := newPolicy(t, nil)
		var plan *policy.Plan
		for range 2 { // with what is remembered
			before := policytest.ProcessorTime(t)
			var err error
			if plan, err = p.Decide(s); err != nil {
				t.Fatal(err)
			}
			took := policytest.ProcessorTime(t) - before
			t.Logf("%s: %v", name, took)
			if took > time.Second {
				t.Errorf("%s: %v for %d jobs, want at most 1s", name, took, len(s.Jobs))
			}
			s.Memo = plan.Memo
		}
		if err := plan.Check(s); err != nil {
			t.Error(err)
		}
	}
}
