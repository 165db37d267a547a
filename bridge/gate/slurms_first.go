package gate

import (
	"slices"

	"fairbridge/bridge/invariant"
	"fairbridge/bridge/slurm"
	"fairbridge/bridge/slurm/shares"
	"fairbridge/policy"
)

// checkNoOtherGoesFirst says which waiting job Slurm would give the nodes of the stop group before
// the one they are freed for, so that the stop would be one for nothing (I8): one of a partition of
// a higher tier, or one of another partition of the same tier with a higher priority. Slurm looks
// at those first, and keeps the nodes of their partitions for them. Jobs of this partition and
// tier are ranked by the plan, but for those that are none of ours: they ask for shares of a GPU, or
// for whole nodes and no GPU. By a view that is no whole list it is not known what they wait for.
func (g *stopGate) checkNoOtherGoesFirst(x stopGroup) *denial {
	list, whole := g.View.WholeList()
	to := g.View.Job(int64(x.beneficiary))
	if !whole || to == nil {
		return nil
	}
	nodes := g.wantedDevices(x).Nodes()
	for _, id := range x.victims {
		nodes = append(nodes, g.snapshotJob(int64(id)).On.Nodes()...)
	}
	for i := range g.View.Jobs {
		j, _ := list.Job(g.View.Jobs[i].ID)
		if j.ID == to.ID || !g.goesFirst(j, to) || !j.MayStartByItself(g.clusterTime) {
			continue
		}
		if at := slices.IndexFunc(nodes, func(node string) bool { return g.mayTake(j.Job, node) }); at >= 0 {
			return deny(invariant.StopPurpose, "Slurm would give node %s to job %s of partition %s first, which waits too", nodes[at], j.Label(), j.PartitionText())
		}
	}
	return nil
}

// goesFirst reports whether Slurm looks at the job before the other one, whatever we rank.
func (g *stopGate) goesFirst(j slurm.FreshJob, to *slurm.Job) bool {
	if d := g.decisionForJob(policy.JobID(j.ID)); d != nil && d.Verb == policy.Start {
		return false // it has its place in the plan
	}
	tier, other := g.View.HighestTier(j.Job), g.View.HighestTier(to)
	isRanked := j.IsInPartition(g.Partition) && g.snapshotJob(j.ID) != nil
	return tier > other || tier == other && !isRanked && j.Priority > to.Priority
}

// mayTake reports whether the job could use GPUs of the node, or the whole of it, as far as
// partitions, node lists, features and the types of GPUs say.
func (g *stopGate) mayTake(j *slurm.Job, node string) bool {
	n := g.View.Node(node)
	if n == nil || !slices.ContainsFunc(j.Partitions, func(name string) bool {
		p := g.View.Partition(name)
		return slices.Contains(n.Partitions, name) && (p == nil || p.RefusalReason(j) == "")
	}) {
		return false
	}
	switch {
	case slices.Contains(j.ExcludedNodes.Names, node):
		return false
	case len(j.RequiredNodes.Names) > 0 && !slices.Contains(j.RequiredNodes.Names, node):
		return false
	case j.Features.IsPlainList() && slices.ContainsFunc(j.Features.Required, func(f string) bool { return !slices.Contains(n.Features, f) }):
		return false
	}
	asks, err := j.RequestedGPUs()
	if err == nil && asks.Count == 0 {
		return j.Exclusive || shares.Requested(j) && shares.Offers(n)
	}
	return err != nil || asks.Type == "" || slices.ContainsFunc(n.GPUs(), func(d slurm.GRES) bool { return d.Type == asks.Type })
}
