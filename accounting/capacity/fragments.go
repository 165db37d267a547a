package capacity

import (
	"fairbridge/policy"
	"fairbridge/policy/fragment"
)

// wholeCluster is what the snapshots of all partitions in one slot show together. A job that waits in
// several partitions is tried in the first.
type wholeCluster struct {
	policy.Snapshot
	nodes map[string]bool
	jobs  map[policy.JobID]bool
}

func newWholeCluster() *wholeCluster {
	return &wholeCluster{nodes: map[string]bool{}, jobs: map[policy.JobID]bool{}}
}

// addNode adds a node, and reports whether it is new.
func (c *wholeCluster) addNode(n *policy.Node) (isNew bool) {
	if isNew = !c.nodes[n.Name]; isNew {
		c.nodes[n.Name] = true
		c.Nodes = append(c.Nodes, *n)
	}
	return isNew
}

// addJob adds a job, and reports whether it is new.
func (c *wholeCluster) addJob(j *policy.Job) (isNew bool) {
	if isNew = !c.jobs[j.ID]; isNew {
		c.jobs[j.ID] = true
		c.Jobs = append(c.Jobs, *j)
	}
	return isNew
}

// addFragments adds what is free and of no use to waiting jobs to the sums of a partition.
func (s gpuSums) addFragments(where string, seen *policy.Snapshot) {
	m := fragment.Measure(seen)
	for i := range m.Places {
		p := &m.Places[i]
		s.add(where, p.Type, gpuCounts{unusable: float64(p.Unusable()), meanUnusable: p.MeanUnusable(m.Waiting)})
	}
	for gpuType, blocked := range m.BlockedByType {
		s.add(where, gpuType, gpuCounts{blocked: float64(blocked)})
	}
}
