package figures_test

import (
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"fairbridge/bridge"
	"fairbridge/bridge/cycle"
	"fairbridge/bridge/cycle/figures"
	"fairbridge/gear/policytest"
	"fairbridge/policy"
)

// TestLongestWait: of those that wait, one for three hours, the one that is held for longer does not count.
func TestLongestWait(t *testing.T) {
	now := policytest.SnapshotTime
	wait := func(id policy.JobID, waits time.Duration, held string) policy.Job {
		return policy.Job{ID: id, Partition: "gpu", State: policy.Pending, Arrive: now.Add(-waits), EligibleAt: now.Add(-waits), HeldReason: held}
	}
	s := &policy.Snapshot{Now: now, Jobs: []policy.Job{wait(1, time.Hour, ""), wait(2, 3*time.Hour, ""), wait(3, 9*time.Hour, "held by its owner")}}
	registry := prometheus.NewRegistry()
	m := figures.NewMetrics(registry)
	check := func(what, want string) {
		t.Helper()
		if err := testutil.GatherAndCompare(registry, strings.NewReader(want), "fairbridge_longest_wait_seconds"); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	const want = `# HELP fairbridge_longest_wait_seconds The longest time that a job of the partition has waited which could start, were there room.
# TYPE fairbridge_longest_wait_seconds gauge
fairbridge_longest_wait_seconds{partition="gpu"} 10800
`
	m.NoteCycle(&cycle.Report{PartitionResults: []cycle.PartitionResult{{Partition: bridge.Partition{Name: "gpu"}, Snapshot: s}, {Partition: bridge.Partition{Name: "failed"}}}})
	check("a cycle", want)
	m.NoteCycle(&cycle.Report{})
	check("one in doubt", want)
	m.NoteCycle(&cycle.Report{Result: cycle.ResultStandby})
	check("another daemon leads", "")
}
