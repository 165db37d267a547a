package slurm

import "testing"

func TestNodesThatSlurmWakesTakeJobs(t *testing.T) {
	for _, c := range []struct {
		state string
		flags []string
		why   string // "": jobs can start
		sleep bool
	}{
		{"IDLE", nil, "", false},
		{"IDLE", []string{"POWERED_DOWN"}, "", true},
		{"IDLE", []string{"CLOUD", "POWERED_DOWN"}, "", true},
		{"MIXED", []string{"NOT_RESPONDING", "POWERING_UP"}, "", true},
		{"IDLE", []string{"NOT_RESPONDING"}, "NOT_RESPONDING", false},
		{"IDLE", []string{"POWERING_DOWN"}, "POWERING_DOWN", false},
		{"IDLE", []string{"DRAIN", "POWERED_DOWN"}, "DRAIN", true},
		{"DOWN", []string{"NOT_RESPONDING", "POWERED_DOWN"}, "DOWN", true}, // it did not come up
	} {
		n := Node{State: c.state, Flags: c.flags}
		if why, ok := n.IsSchedulable(); why != c.why || ok != (c.why == "") || n.IsAsleep() != c.sleep {
			t.Errorf("%s %v: %q %v, asleep %v", c.state, c.flags, why, ok, n.IsAsleep())
		}
	}
}
