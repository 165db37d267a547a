package actuator

import (
	"cmp"
	"slices"

	"fairbridge/bridge/invariant"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// ownerNodeLists returns the owner's own lists, without what we wrote there.
func (c *EditContext) ownerNodeLists() (required, excluded []string, d *invariant.Denial) {
	req, exc := c.SlurmJob.RequiredNodes, c.SlurmJob.ExcludedNodes
	if in := c.IntentBook.StandingIntent(c.SlurmJob.CurrentRun(), slurm.FieldRequiredNodes, c.Now); in != nil {
		req = in.Before.Required
	}
	if in := c.IntentBook.StandingIntent(c.SlurmJob.CurrentRun(), slurm.FieldExcludedNodes, c.Now); in != nil {
		exc = in.Before.Excluded
	}
	switch {
	case req.UnreadReason != "":
		return nil, nil, invariant.NodeLists.Deny("its own node list cannot be read: %s", req.UnreadReason)
	case exc.UnreadReason != "":
		return nil, nil, invariant.NodeLists.Deny("its own list of excluded nodes cannot be read: %s", exc.UnreadReason)
	}
	return req.Names, exc.Names, nil
}

var noExpiryTimerDenial = invariant.NodeLists.Deny("nothing outside the daemon would take it back if the daemon died")

// checkPin checks a pin (I12). Slurm takes required nodes as a must-have set:
// one too many and the job never starts.
func checkPin(c *EditContext) *invariant.Denial {
	if bound := c.checkBound(); bound != nil || c.GivesBack {
		return bound
	}
	own, refused, d := c.ownerNodeLists()
	switch {
	case d != nil:
		return d
	case !c.HasExpiryTimer:
		return noExpiryTimerDenial
	case len(c.Nodes) == 0:
		return invariant.NodeLists.Deny("it names no node")
	case c.SlurmJob.IsUnsplitArray():
		return invariant.NodeLists.Deny("it would bind every task of the array")
	case !c.SlurmJob.IsBatch:
		return invariant.ExemptJobs.Deny("it is interactive: somebody is waiting for it")
	case c.SnapshotJob.UnplaceableReason != "":
		return invariant.NodeLists.Deny("its nodes cannot be chosen: %s", c.SnapshotJob.UnplaceableReason)
	case len(c.Nodes) > max(c.SlurmJob.NodeCount, 1):
		return invariant.NodeLists.Deny("it names %s for a job of %d", policy.FormatCount(len(c.Nodes), "node"), max(c.SlurmJob.NodeCount, 1))
	}
	if why := cmp.Or(resizeReason(c.SlurmJob, own, c.Nodes), TypeWithoutNodeReason(c.View, requestedGPUs(c.SlurmJob).Type, c.Nodes)); why != "" {
		return invariant.NodeLists.Deny("%s", why)
	}
	for _, name := range c.Nodes {
		if slices.Contains(refused, name) {
			return invariant.NodeLists.Deny("node %s is excluded for it", name)
		}
		if d := c.checkNodeUsable(name); d != nil {
			return d
		}
	}
	return nil
}

// resizeReason says why a list of nodes for the job, or its owner's given back, could take
// nodes from a run that begins in this very moment; "" where it cannot. To slurmctld
// required nodes of a running job are a wish to shrink to them (22.05 and 26.05 do so at
// once). A list of as many nodes as the job can have shrinks nothing, and an empty one
// is refused. A job that names no number of nodes (sbatch without -N) can have as many as it
// has processes: "-n 4 --gres=gpu:2" ran on two nodes where cores were short.
func resizeReason(j *slurm.Job, own, nodes []string) string {
	isSpreadFixed := j.MaxNodes == len(nodes) || j.MaxNodes == 0 && len(j.GresPerNode.List) > 0 && 0 < j.ProcessCount && j.ProcessCount <= len(nodes)
	switch {
	case len(own) > 0:
		return "its owner names nodes himself"
	case !isSpreadFixed:
		return "Slurm may start it on more nodes than these"
	}
	return ""
}

// checkExclusion checks excluded nodes: the owner's stay, and enough others remain
// (I12).
func checkExclusion(c *EditContext) *invariant.Denial {
	if c.GivesBack {
		return nil
	}
	required, own, d := c.ownerNodeLists()
	switch {
	case d != nil:
		return d
	case !c.HasExpiryTimer:
		return noExpiryTimerDenial
	case !c.SlurmJob.IsBatch:
		return invariant.ExemptJobs.Deny("it is interactive: somebody is waiting for it")
	}
	for _, name := range own {
		if !slices.Contains(c.Nodes, name) {
			return invariant.NodeLists.Deny("its owner refuses node %s", name)
		}
	}
	for _, name := range c.Nodes {
		if slices.Contains(required, name) {
			return invariant.NodeLists.Deny("its owner insists on node %s", name)
		}
		if c.View.Node(name) == nil && !slices.Contains(own, name) {
			return invariant.NodeLists.Deny("node %s does not exist", name)
		}
	}
	left := 0
	for i := range c.View.Nodes {
		name := c.View.Nodes[i].Name
		if c.checkNodeUsable(name) == nil && !slices.Contains(c.Nodes, name) {
			left++
		}
	}
	if need := c.Budgets.NodeFactor * float64(max(c.SlurmJob.NodeCount, 1)); float64(left) < need {
		return invariant.NodeLists.Deny("%d nodes would be left, it must keep %g", left, need)
	}
	return nil
}

// checkNodeUsable says why nothing of this partition can start on the node (I12).
func (c *EditContext) checkNodeUsable(name string) *invariant.Denial {
	n := c.View.Node(name)
	if n == nil {
		return invariant.NodeLists.Deny("node %s does not exist", name)
	}
	if why, ok := n.IsSchedulable(); !ok {
		return invariant.NodeLists.Deny("nothing can start on node %s: %s", name, why)
	}
	if !slices.Contains(n.Partitions, c.Partition) {
		return invariant.NodeLists.Deny("node %s is not in partition %s", name, c.Partition)
	}
	return nil
}
