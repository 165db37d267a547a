package heterog

import (
	"fmt"
	"testing"
	"time"

	"fairbridge/gear/policytest"
	"fairbridge/policy"
	"fairbridge/scripts/verify/part"
)

// TestDecidesInTime: 10,000 jobs on 4,096 GPUs of two types, all of which accept both, are decided in a second of
// processor time.
func TestDecidesInTime(t *testing.T) {
	part.Only(t, "speed")
	s := policytest.BusyCluster(512, 10_000)
	for i := range s.Nodes {
		for k := range s.Nodes[i].GPUs {
			s.Nodes[i].GPUs[k].Type = fmt.Sprint("t", i%2)
		}
	}
	for i := range s.Jobs {
		j := &s.Jobs[i]
		j.Ask.GPUs.Type, j.AcceptsMixedTypes = "", i%3 > 0
		j.Training = &policy.Training{Steps: 1e5, Rates: []policy.Rate{{Type: "t0", StepsPerSecond: 2}, {Type: "t1", StepsPerSecond: 1}}}
		for k := range j.On {
			j.On[k].Type = s.Node(j.On[k].Node).GPUs[0].Type
		}
	}
	p := policytest.NewPolicy(t, System().New, nil)
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
