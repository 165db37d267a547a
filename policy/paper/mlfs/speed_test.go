package mlfs

import (
	"testing"
	"time"

	"fairbridge/gear/policytest"
	"fairbridge/policy"
	"fairbridge/policy/paper"
	"fairbridge/scripts/verify/part"
)

// TestDecidesInTime: 10,000 jobs on 4,096 GPUs, each of which waits for the one before or reports its losses, are
// decided in a second of processor time.
func TestDecidesInTime(t *testing.T) {
	part.Only(t, "speed")
	s := policytest.BusyCluster(512, 10_000)
	for i := range s.Jobs {
		j := &s.Jobs[i]
		if j.EarlyEnd = (&policy.EarlyEnd{AtPlateau: true}); i > 0 && i%2 == 0 {
			j.DependsOn = []policy.JobID{s.Jobs[i-1].ID}
		}
		if i%2 == 1 {
			j.Shareable, j.Sharing = true, &policy.Sharing{Utilisation: policy.KnownValue(float64(i%10) / 10), AcceptsOtherUsers: true}
		}
		*j = withLosses(*j, 5, 4, 3, 2, 1.5, 1.2, 1.1, 1.01, 1.005, 1.001, 1.0005, 1)
	}
	p := policytest.NewPolicy(t, System().New, paper.Params{"placement": "distance"})
	before := policytest.ProcessorTime(t)
	plan, err := p.Decide(s)
	if err != nil {
		t.Fatal(err)
	}
	took := policytest.ProcessorTime(t) - before
	t.Logf("%v", took)
	if took > time.Second {
		t.Errorf("%v for %d jobs, want at most 1s", took, len(s.Jobs))
	}
	if err := plan.Check(s); err != nil {
		t.Error(err)
	}
}
