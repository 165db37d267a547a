package slurmrun

import (
	"testing"

	"fairbridge/policy"
	"fairbridge/replica/measure"
	"fairbridge/replica/sim"
)

// TestUnusable: on two nodes of four GPUs one and three are free, and a job wants four on a node
// for ten seconds; then one wants two over both nodes, and has room.
func TestUnusable(t *testing.T) {
	m := newIdleMeter([]policy.Node{{Name: "a", GPUs: []policy.NodeDevices{{Type: "x", Count: 4}}}, {Name: "b", GPUs: []policy.NodeDevices{{Type: "x", Count: 4}}}})
	gang, both := jobShape{nodeCount: 1, gpusPerNode: 4}, jobShape{nodeCount: 2, gpusPerNode: 1}
	onA, onB := &sim.EndedRun{Nodes: []string{"a"}, GPUType: "x", GPUCount: 3}, &sim.EndedRun{Nodes: []string{"b"}, GPUType: "x", GPUCount: 1}
	m.sumIdle([]clusterChange{{run: onA}, {run: onB}, {waiting: 1, shape: gang}, {at: 10, waiting: -1, shape: gang}, {at: 10, waiting: 1, shape: both}, {at: 15, waiting: -1, shape: both, run: onA, isEnd: true}})
	var r measure.Run
	m.looks.AddTo(&r, 15)
	if r.UnusableGPUSeconds != policy.KnownValue(40) || r.BlockedGPUSeconds != policy.KnownValue(40) {
		t.Errorf("unusable %v, blocked %v, want 40 GPU-seconds each", r.UnusableGPUSeconds, r.BlockedGPUSeconds)
	}
}
