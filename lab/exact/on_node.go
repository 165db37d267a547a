package exact

import (
	"slices"

	"fairbridge/replica/workload"
)

// nodeHolders are the jobs that hold GPUs of each node; nil: it is of no consequence.
type nodeHolders map[string][]*job

// join notes that a job holds GPUs of its nodes.
func (h nodeHolders) join(j *job) {
	if h == nil {
		return
	}
	for _, name := range j.heldAlloc.Nodes() {
		h[name] = append(h[name], j)
	}
}

// leave notes that a job leaves its nodes.
func (h nodeHolders) leave(j *job) {
	if h == nil {
		return
	}
	for _, name := range j.heldAlloc.Nodes() {
		h[name] = slices.DeleteFunc(h[name], func(o *job) bool { return o == j })
	}
}

// speedBesideOnNodes is the speed of a job by the jobs on other GPUs of its nodes, relative to that
// without them: that on the node where it is slowed most, for which the others wait.
func (c *cluster) speedBesideOnNodes(j *job) float64 {
	least := 1.0
	for _, name := range j.heldAlloc.Nodes() {
		if others := c.listNodeParts(name, j); len(others) > 0 {
			least = min(least, c.nodeInterference.SpeedOnNode(j.Job, others))
		}
	}
	return least
}

// listNodeParts are the other jobs on a node.
func (c *cluster) listNodeParts(name string, j *job) []workload.NodePart {
	devices := 0
	for _, i := range c.groupIndicesByNode[name] {
		devices += len(c.deviceGroups[i].jobsByDevice)
	}
	var others []workload.NodePart
	for _, o := range c.holders[name] {
		if o != j {
			others = append(others, workload.NodePart{Job: o.Job, Part: float64(o.heldAlloc.CountOn(name)) / float64(devices)})
		}
	}
	return others
}
