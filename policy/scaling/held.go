package scaling

import (
	"slices"

	"fairbridge/policy"
)

// HeldSize returns what a job runs on, and what it asks while it does not run. Nodes is 0 where
// they are as few as the nodes of the snapshot allow, as sizes have it.
func HeldSize(s *policy.Snapshot, j *policy.Job) Size {
	size := New(j).Held()
	if size.Nodes <= FewestNodes(s.Nodes, size.Type, size.Devices) {
		size.Nodes = 0
	}
	return size
}

// FewestNodes returns over how few of the nodes so many devices of a type can be spread, if all of
// them are free.
func FewestNodes(nodes []policy.Node, typ string, devices int) int {
	var counts []int
	for i := range nodes {
		for _, d := range nodes[i].GPUs {
			if d.Type == typ {
				counts = append(counts, d.Count)
			}
		}
	}
	slices.SortFunc(counts, func(a, b int) int { return b - a })
	for n, c := range counts {
		if devices -= c; devices <= 0 {
			return n + 1
		}
	}
	return len(counts)
}
