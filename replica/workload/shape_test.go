package workload

import (
	"testing"

	"fairbridge/policy"
)

// TestNodeShape: gangs ask for whole nodes where they fill them, and for a total where they do not.
func TestNodeShape(t *testing.T) {
	nodes := []policy.Node{
		{Name: "n1", GPUs: []policy.NodeDevices{{Type: "a100", Count: 8}}},
		{Name: "n2", GPUs: []policy.NodeDevices{{Type: "a100", Count: 8, SickCount: 1}}},
		{Name: "n3", GPUs: []policy.NodeDevices{{Type: "h100", Count: 4}}},
		{Name: "n4", GPUs: []policy.NodeDevices{{Type: "h100", Count: 16}}, DownReason: "drained"},
	}
	for _, c := range []struct {
		job            Job
		count, perNode int
	}{
		{Job{GPUs: 3}, 1, 3},
		{Job{GPUs: 8}, 1, 8},
		{Job{GPUs: 16}, 2, 8},
		{Job{GPUs: 12}, 2, 0},
		{Job{GPUs: 8, NodeCount: 4}, 4, 2},
		{Job{GPUs: 9, NodeCount: 2}, 2, 0},
		{Job{GPUs: 8, GPUType: "h100"}, 2, 4},
		{Job{GPUs: 8, Speeds: map[string]float64{"h100": 1}}, 2, 4},
		{Job{GPUs: 4, GPUType: "v100"}, 1, 0},
	} {
		if count, per := c.job.NodeShape(nodes); count != c.count || per != c.perNode {
			t.Errorf("%d GPUs of type %q on %d nodes: %d nodes of %d, want %d of %d", c.job.GPUs, c.job.GPUType, c.job.NodeCount, count, per, c.count, c.perNode)
		}
	}
}
