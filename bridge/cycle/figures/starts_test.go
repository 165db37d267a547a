package figures_test

import (
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"fairbridge/bridge"
	"fairbridge/bridge/cycle"
	"fairbridge/bridge/cycle/figures"
	"fairbridge/policy"
)

// TestStarts: of four jobs that run at last one ran when the daemon began, one was to start, one to wait, and no plan
// saw the last. A policy that fails leaves what it wanted. Who leads again knows only what ran then.
func TestStarts(t *testing.T) {
	registry := prometheus.NewRegistry()
	m := figures.NewMetrics(registry)
	see := func(isPlanned bool, running, starting, waiting []policy.JobID) {
		s, plan := &policy.Snapshot{}, &policy.Plan{}
		all := map[policy.Verb][]policy.JobID{policy.Keep: running, policy.Start: starting, policy.Wait: waiting}
		for verb, ids := range all {
			for _, id := range ids {
				state := policy.Pending
				if verb == policy.Keep {
					state = policy.Running
				}
				s.Jobs = append(s.Jobs, policy.Job{ID: id, State: state})
				plan.Decisions = append(plan.Decisions, policy.Decision{Job: id, Verb: verb})
			}
		}
		if !isPlanned {
			plan = nil
		}
		p := cycle.PartitionResult{Partition: bridge.Partition{Name: "gpu"}, Snapshot: s, PolicyPlan: plan}
		m.NoteCycle(&cycle.Report{PartitionResults: []cycle.PartitionResult{p}})
	}
	see(true, []policy.JobID{1}, []policy.JobID{2}, []policy.JobID{3})
	see(false, []policy.JobID{1, 2}, nil, []policy.JobID{3})
	see(true, []policy.JobID{1, 2, 3, 4}, nil, nil)
	m.NoteCycle(&cycle.Report{Result: cycle.ResultStandby})
	see(true, []policy.JobID{1, 2, 3, 4, 5}, nil, nil)
	const want = "# HELP fairbridge_starts_total Starts of jobs that a cycle saw running, by what the last plan " +
		"wanted of the job: start, wait, or unseen where no plan saw it wait. Jobs that end before a cycle are not counted." + `
# TYPE fairbridge_starts_total counter
fairbridge_starts_total{partition="gpu",plan="start"} 1
fairbridge_starts_total{partition="gpu",plan="unseen"} 1
fairbridge_starts_total{partition="gpu",plan="wait"} 1
`
	if err := testutil.GatherAndCompare(registry, strings.NewReader(want), "fairbridge_starts_total"); err != nil {
		t.Error(err)
	}
}
