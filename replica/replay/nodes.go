package replay

import (
	"fmt"
	"slices"

	"fairbridge/policy"
	"fairbridge/replica/cluster"
)

// nodesFromSnapshot returns the nodes of a snapshot, all of them up, set aside for nobody, and
// with room for any job: the record does not know the cores that jobs had.
func nodesFromSnapshot(s *policy.Snapshot) []policy.Node {
	var nodes []policy.Node
	for _, n := range s.Nodes {
		n.Partitions, n.DownReason, n.CPUs, n.MemMB, n.Windows = []string{cluster.PartitionName}, "", 0, 0, nil
		n.GPUs = slices.Clone(n.GPUs)
		for i := range n.GPUs {
			n.GPUs[i] = policy.NodeDevices{Type: n.GPUs[i].Type, Count: n.GPUs[i].Count, PartPercent: n.GPUs[i].PartPercent}
		}
		nodes = append(nodes, n)
	}
	return nodes
}

// describeNodesDropped says what nodesFromSnapshot leaves out.
func describeNodesDropped(s *policy.Snapshot) []string {
	down, reserved, shared := 0, 0, 0
	for i := range s.Nodes {
		n := &s.Nodes[i]
		down += boolToInt(n.DownReason != "")
		reserved += boolToInt(len(n.Windows) > 0)
		shared += boolToInt(len(n.Partitions) > 1)
	}
	var remarks []string
	for _, r := range []struct {
		count int
		text  string
	}{
		{down, "down when last seen: %s, taken as up all the time"},
		{reserved, "with reservations when last seen: %s, taken as free of them"},
		{shared, "in other partitions too: %s, whose other jobs are not simulated"},
	} {
		if r.count > 0 {
			remarks = append(remarks, fmt.Sprintf(r.text, policy.FormatCount(r.count, "node")))
		}
	}
	return remarks
}
