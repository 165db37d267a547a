package exact_test

import (
	"strings"
	"testing"
	"time"

	"fairbridge/lab/exact"
	"fairbridge/policy"
	policyengine "fairbridge/policy/engine"
	"fairbridge/replica/workload"
)

// late starts jobs that have waited for so long.
type late time.Duration

func (l late) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	if s.Jobs[0].Waited(s.Now) >= time.Duration(l) {
		return policyengine.Pipeline{}.Decide(s)
	}
	p := &policy.Plan{}
	for i := range s.Jobs {
		p.Decisions = append(p.Decisions, policy.Decision{Job: s.Jobs[i].ID, Verb: policy.Wait})
	}
	return p, nil
}

// TestTimePassesWhereNothingRuns: by every clock a policy may let the last job wait for some hours on an idle
// cluster; after a day it is told that it starts none.
func TestTimePassesWhereNothingRuns(t *testing.T) {
	for name, clock := range map[string]exact.Clock{
		"intervals": exact.NewEventClock(time.Minute, 10*time.Minute, 0),
		"rounds":    exact.GavelClock(),
		"lockstep":  exact.PolluxClock(),
	} {
		c := exact.Config{Policy: late(3 * time.Hour), Nodes: one, Jobs: []workload.Job{job(1, 0, 1)}, Clock: clock}
		run, err := exact.Run(c)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if started := run.JobOutcomes[0].Finish; started < 3*3600 || started > 3.5*3600 {
			t.Errorf("%s: ends at %.0f s, its policy starts it after three hours", name, started)
		}
		c.Policy = late(30 * time.Hour)
		if _, err := exact.Run(c); err == nil || !strings.Contains(err.Error(), "starts none of them") {
			t.Errorf("%s: a job that waits for more than a day: %v", name, err)
		}
	}
}
