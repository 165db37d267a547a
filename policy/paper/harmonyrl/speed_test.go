package harmonyrl

import (
	"fmt"
	"testing"
	"time"

	"fairbridge/gear/policytest"
	"fairbridge/policy"
	"fairbridge/policy/paper"
	"fairbridge/scripts/verify/part"
)

// TestDecidesInTime: 10,000 jobs on 4,096 GPUs, of which half are free, are decided in a second of processor time, by the network and,
// since it is compared with that, by the search too.
func TestDecidesInTime(t *testing.T) {
	part.Only(t, "speed")
	s := policytest.BusyCluster(512, 10_000)
	for i := range s.Jobs {
		j := &s.Jobs[i]
		j.Class = fmt.Sprint("class ", i%12)
		if j.HoldsGPUs() && i%2 == 1 {
			j.State, j.On, j.Start = policy.Pending, nil, time.Time{}
		} else if j.HoldsGPUs() {
			j.Training = &policy.Training{Steps: 1e9, StepsDone: float64(i)}
		}
	}
	p := policytest.NewPolicy(t, System().New, paper.Params{"max_difference": 1.})
	for range 2 { // with what is remembered
		var plan *policy.Plan
		took := policytest.LeastProcessorTime(t, 3, func() {
			var err error
			if plan, err = p.Decide(s); err != nil {
				t.Fatal(err)
			}
		})
		t.Logf("%v of processor time", took)
		if took > time.Second {
			t.Errorf("%v for %d jobs, want at most 1s", took, len(s.Jobs))
		}
		s.Memo = plan.Memo
	}
}
