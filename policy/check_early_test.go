package policy_test

import (
	"strings"
	"testing"

	"fairbridge/policy"
)

// TestCheckOfEarlyEnds: only a job that runs on, and whose owner declared what is enough, may end early.
func TestCheckOfEarlyEnds(t *testing.T) {
	on := policy.Alloc{{Node: "n1", Type: "a100", Count: 1}}
	for _, c := range []struct {
		verb   policy.Verb
		enough *policy.EarlyEnd
		want   string
	}{
		{policy.Keep, &policy.EarlyEnd{AtPlateau: true}, ""},
		{policy.Keep, nil, "may end early"},
		{policy.Stop, &policy.EarlyEnd{AtPlateau: true}, "may end early"},
	} {
		s := &policy.Snapshot{Nodes: []policy.Node{{Name: "n1", Partitions: []string{"gpu"}, GPUs: []policy.NodeDevices{{Type: "a100", Count: 1}}}}}
		s.Jobs = []policy.Job{{ID: 1, Partition: "gpu", State: policy.Running, On: on, Ask: policy.Ask{GPUs: policy.GPUs{Type: "a100", Count: 1}}, EarlyEnd: c.enough}}
		d := policy.Decision{Job: 1, Verb: c.verb, Rank: 1, GPUs: 1, Why: "test", EndsEarly: true}
		if c.verb == policy.Keep {
			d.On = on
		}
		err := (&policy.Plan{Decisions: []policy.Decision{d}}).Check(s)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s with %v: %v, want %q", c.verb, c.enough, err, c.want)
		}
	}
}
