package slurmrun

import (
	"fairbridge/policy"
)

// snapshotPartition is that of all nodes and jobs of an idleMeter's snapshots.
const snapshotPartition = "all"

// newSnapshot is what is free, and what waits for it, as package fragment reads it.
func (m *idleMeter) newSnapshot() *policy.Snapshot {
	s := &policy.Snapshot{}
	for i := range m.pools {
		p := &m.pools[i]
		if n := len(s.Nodes); n == 0 || s.Nodes[n-1].Name != p.nodeName {
			s.Nodes = append(s.Nodes, policy.Node{Name: p.nodeName, Partitions: []string{snapshotPartition}})
		}
		n := &s.Nodes[len(s.Nodes)-1]
		n.GPUs = append(n.GPUs, policy.NodeDevices{Type: p.gpuType, Count: max(p.freeGPUs, 0)})
	}
	for _, shape := range m.shapes {
		s.Jobs = append(s.Jobs, policy.Job{ID: policy.JobID(len(s.Jobs) + 1), Partition: snapshotPartition, State: policy.Pending, Tasks: m.waitingCounts[shape], Ask: policy.Ask{
			GPUs: policy.GPUs{Type: shape.gpuType, Count: shape.gpuCount()}, MinNodes: shape.nodeCount, PerNode: shape.gpusPerNode, ExcludedNodes: m.bannedBySet[shape.bannedNodes]}})
	}
	return s
}
