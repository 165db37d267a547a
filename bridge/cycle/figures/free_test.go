package figures_test

import (
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"fairbridge/bridge"
	"fairbridge/bridge/cycle"
	"fairbridge/bridge/cycle/figures"
	"fairbridge/gear/policytest"
	"fairbridge/policy"
)

// TestFreeGPUs: five and three GPUs are free on two nodes, and a job wants eight on one.
func TestFreeGPUs(t *testing.T) {
	s := &policy.Snapshot{Now: policytest.SnapshotTime}
	for i, name := range []string{"n1", "n2"} {
		s.Nodes = append(s.Nodes, policy.Node{Name: name, Partitions: []string{"gpu"}, GPUs: []policy.NodeDevices{{Type: "a100", Count: 5 - 2*i}}})
	}
	s.Jobs = []policy.Job{{ID: 1, Partition: "gpu", State: policy.Pending, Ask: policy.Ask{GPUs: policy.GPUs{Count: 8}, MaxNodes: 1}}}
	registry := prometheus.NewRegistry()
	m := figures.NewMetrics(registry)
	seen := &cycle.Report{PartitionResults: []cycle.PartitionResult{{Partition: bridge.Partition{Name: "gpu"}, Snapshot: s}, {Partition: bridge.Partition{Name: "failed"}}}}
	check := func(what, want string) {
		t.Helper()
		if err := testutil.GatherAndCompare(registry, strings.NewReader(want), "fairbridge_unusable_gpus", "fairbridge_blocked_gpus"); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	const want = `# HELP fairbridge_blocked_gpus GPUs asked for by waiting jobs that could not start although as many were free where they may run.
# TYPE fairbridge_blocked_gpus gauge
fairbridge_blocked_gpus{gpu_type="any",partition="gpu"} 8
# HELP fairbridge_unusable_gpus Free GPUs that no waiting job could use where they are, though some would take the type.
# TYPE fairbridge_unusable_gpus gauge
fairbridge_unusable_gpus{gpu_type="a100",partition="gpu"} 8
`
	m.NoteCycle(seen)
	check("a cycle", want)
	m.NoteCycle(&cycle.Report{})
	check("one in doubt", want)
	m.NoteCycle(seen)
	check("it is not added up", want)
	m.NoteCycle(&cycle.Report{Result: cycle.ResultStandby})
	check("another daemon leads", "")
}
