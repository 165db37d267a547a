package exact_test

import (
	"strings"
	"testing"
	"time"

	"fairbridge/lab/exact"
	"fairbridge/policy"
	"fairbridge/replica/workload"
)

// endsAt lets the one job end early once it is so old.
type endsAt time.Duration

func (after endsAt) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	j := &s.Jobs[0]
	d := policy.Decision{Job: j.ID, Rank: 1, GPUs: 1, Why: "the test says so", Verb: policy.Start, On: policy.Alloc{{Node: s.Nodes[0].Name, Type: "v100", Count: 1}}}
	if j.HoldsGPUs() {
		d.Verb, d.EndsEarly = policy.Keep, s.Now.Sub(j.Arrive) >= time.Duration(after)
	}
	return &policy.Plan{SnapshotSeq: s.Seq, Policy: "early", Decisions: []policy.Decision{d}}, nil
}

// TestEndsEarly: a job that may end early does so at the decision, and one whose owner did not declare what is enough
// stops the simulation.
func TestEndsEarly(t *testing.T) {
	j := job(1, 0, 100)
	j.EarlyEnd = &policy.EarlyEnd{AtPlateau: true}
	c := exact.Config{Policy: endsAt(25 * time.Second), Nodes: nodes(1, 1, "v100"), Jobs: []workload.Job{j}, Clock: exact.NewEventClock(0, 10*time.Second, 0)}
	run := play(t, c)
	same(t, "finish", run.JobOutcomes[0].Finish, 30)
	same(t, "service", run.JobOutcomes[0].Service, 30)
	c.Jobs[0].EarlyEnd = nil
	if _, err := exact.Run(c); err == nil || !strings.Contains(err.Error(), "did not declare what is enough") {
		t.Errorf("%v", err)
	}
}
