package policy

import (
	"math"
	"slices"
)

// checkGang wants a placement that is whole, of the right type and on nodes the job
// may use.
func (c *planChecker) checkGang(d *Decision, j *Job) {
	if d.On.Count() != d.GPUs {
		c.addErrorf("job %d: %d GPUs decided, but %d placed on %v", j.ID, d.GPUs, d.On.Count(), d.On)
	}
	if !slices.IsSortedFunc(d.On, Slot.Compare) {
		c.addErrorf("job %d: placement %v is not sorted by node, then type", j.ID, d.On)
	}
	for _, s := range d.On {
		c.checkSlot(s, j)
	}
	c.checkTypes(d, j)
	c.checkNodeCounts(d, j)
	for _, name := range j.Ask.RequiredNodes {
		if d.On.CountOn(name) == 0 {
			c.addErrorf("job %d: nothing on required node %s", j.ID, name)
		}
	}
}

func (c *planChecker) checkSlot(s Slot, j *Job) {
	n := c.Node(s.Node)
	if n == nil {
		c.addErrorf("job %d: node %s is not in the snapshot", j.ID, s.Node)
		return
	}
	if s.Count <= 0 {
		c.addErrorf("job %d: %d devices on node %s", j.ID, s.Count, s.Node)
	}
	i := slices.IndexFunc(n.GPUs, func(d NodeDevices) bool { return d.Type == s.Type })
	if want := j.Ask.GPUs.Type; i < 0 || !j.AcceptsType(s.Type) || want == "" && !n.GPUs[i].IsWholeGPU() {
		c.addErrorf("job %d: asks for %v, placed on %s of node %s", j.ID, j.Ask.GPUs, s.Type, s.Node)
	}
	c.checkNode(n, j)
}

// checkTypes wants GPUs of one type for a job that asks for a type, and shares of a batch only for
// one whose owner accepts several types, as many as there are types and 1 in all.
func (c *planChecker) checkTypes(d *Decision, j *Job) {
	if d.On.HasSeveralTypes() && j.Ask.GPUs.Type != "" && !j.AcceptsMixedTypes {
		c.addErrorf("job %d: asks for %v, placed on several types: %v", j.ID, j.Ask.GPUs, d.On)
	}
	if len(d.BatchShares) == 0 {
		return
	}
	sum := 0.0
	for _, s := range d.On {
		share := d.BatchShares.ShareOf(s.Type)
		if !(share > 0) {
			c.addErrorf("job %d: its %s have no share of the batch: %v", j.ID, s.Type, d.BatchShares)
		}
		sum += share * float64(s.Count)
	}
	if !j.AcceptsMixedTypes || math.Abs(sum-1) > 1e-6 {
		c.addErrorf("job %d: shares of a batch that make %g, and of which its owner must accept several types: %v", j.ID, sum, d.BatchShares)
	}
}

func (c *planChecker) checkNode(n *Node, j *Job) {
	if n.DownReason != "" {
		c.addErrorf("job %d: node %s is down: %s", j.ID, n.Name, n.DownReason)
	}
	if w, _, _ := n.WindowDuring(c.Now, j.Limit); w != nil {
		c.addErrorf("job %d: with its limit of %v it reaches into %v on node %s at %v", j.ID, j.Limit, w, n.Name, w.From)
	}
	if !n.InPartition(j.Partition) {
		c.addErrorf("job %d: node %s is not in partition %s", j.ID, n.Name, j.Partition)
	}
	if slices.Contains(j.Ask.ExcludedNodes, n.Name) {
		c.addErrorf("job %d: node %s is excluded by its owner", j.ID, n.Name)
	}
	for _, f := range j.Ask.Features {
		if !slices.Contains(n.Features, f) {
			c.addErrorf("job %d: node %s lacks feature %s", j.ID, n.Name, f)
		}
	}
}

// checkNodeCounts wants as many nodes, and as much on each, as the gang asks. A job
// resized within its range keeps PerNode only while it divides the count.
func (c *planChecker) checkNodeCounts(d *Decision, j *Job) {
	a := j.Ask.Resized(d.GPUs)
	nodes := d.On.Nodes()
	if len(nodes) < a.MinNodes || a.MaxNodes > 0 && len(nodes) > a.MaxNodes {
		c.addErrorf("job %d: on %d nodes, wanted %d to %d", j.ID, len(nodes), a.MinNodes, a.MaxNodes)
	}
	for _, name := range nodes {
		if got := d.On.CountOn(name); a.PerNode > 0 && got != a.PerNode {
			c.addErrorf("job %d: %d GPUs on node %s, wanted %d on each", j.ID, got, name, a.PerNode)
		}
	}
}
