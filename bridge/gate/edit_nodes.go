package gate

import (
	"slices"

	"fairbridge/bridge"
	"fairbridge/bridge/invariant"
	"fairbridge/bridge/slurm"
)

// fields are all fields of a job that an edit can write.
var fields = []slurm.Field{
	slurm.FieldBegin, slurm.FieldPriority, slurm.FieldSite, slurm.FieldNice,
	slurm.FieldRequired, slurm.FieldExcluded, slurm.FieldGPUs, slurm.FieldRun, slurm.FieldWarned,
}

// unknown reports whether something sent to the job may still be carried out.
func (g *editor) unknown(job int64) bool {
	return slices.ContainsFunc(fields, func(f slurm.Field) bool {
		in := g.in.Book.Open(job, f)
		return in != nil && in.State == bridge.Unknown
	})
}

// wanted returns the owner's own lists, without what we wrote there.
func (g *editor) wanted(j *slurm.Job) (required, excluded []string, n *no) {
	req, exc := j.Required, j.Excluded
	if in := g.in.Book.Standing(j.Run(), slurm.FieldRequired, g.at); in != nil {
		req = in.Before.Required
	}
	if in := g.in.Book.Standing(j.Run(), slurm.FieldExcluded, g.at); in != nil {
		exc = in.Before.Excluded
	}
	switch {
	case req.Unread != "":
		return nil, nil, deny(invariant.NodeLists, "its own node list cannot be read: %s", req.Unread)
	case exc.Unread != "":
		return nil, nil, deny(invariant.NodeLists, "its own list of excluded nodes cannot be read: %s", exc.Unread)
	}
	return req.Names, exc.Names, nil
}

var noExpiry = deny(invariant.NodeLists, "nothing outside the daemon would take it back if the daemon died")

// require checks a pin (I12). Slurm takes required nodes as a must-have set:
// one too many and the job never starts.
func (g *editor) require(c *claim) *no {
	if c.back {
		return nil
	}
	own, refused, n := g.wanted(c.job)
	switch {
	case n != nil:
		return n
	case !g.Expires:
		return noExpiry
	case len(c.Nodes) == 0:
		return deny(invariant.NodeLists, "it names no node")
	case c.job.Unsplit():
		return deny(invariant.NodeLists, "it would bind every task of the array")
	case !c.job.Batch:
		return deny(invariant.ExemptJobs, "it is interactive: somebody is waiting for it")
	case c.planned.Unplaced != "":
		return deny(invariant.NodeLists, "its nodes cannot be chosen: %s", c.planned.Unplaced)
	case len(c.Nodes) > max(c.job.NodeCount, 1):
		return deny(invariant.NodeLists, "it names %d nodes for a job of %d", len(c.Nodes), max(c.job.NodeCount, 1))
	}
	for _, name := range own {
		if !slices.Contains(c.Nodes, name) {
			return deny(invariant.NodeLists, "its owner insists on node %s", name)
		}
	}
	for _, name := range c.Nodes {
		if slices.Contains(refused, name) {
			return deny(invariant.NodeLists, "node %s is excluded for it", name)
		}
		if n := g.usable(name); n != nil {
			return n
		}
	}
	return nil
}

// exclude checks excluded nodes: the owner's stay, and enough others remain
// (I12).
func (g *editor) exclude(c *claim) *no {
	if c.back {
		return nil
	}
	required, own, n := g.wanted(c.job)
	switch {
	case n != nil:
		return n
	case !g.Expires:
		return noExpiry
	case !c.job.Batch:
		return deny(invariant.ExemptJobs, "it is interactive: somebody is waiting for it")
	}
	for _, name := range own {
		if !slices.Contains(c.Nodes, name) {
			return deny(invariant.NodeLists, "its owner refuses node %s", name)
		}
	}
	for _, name := range c.Nodes {
		if slices.Contains(required, name) {
			return deny(invariant.NodeLists, "its owner insists on node %s", name)
		}
		if g.node(name) == nil && !slices.Contains(own, name) {
			return deny(invariant.NodeLists, "node %s does not exist", name)
		}
	}
	left := 0
	for i := range g.View.Nodes {
		name := g.View.Nodes[i].Name
		left += one(g.usable(name) == nil && !slices.Contains(c.Nodes, name))
	}
	if need := g.Config.NodeFactor * float64(max(c.job.NodeCount, 1)); float64(left) < need {
		return deny(invariant.NodeLists, "%d nodes would be left, it must keep %g", left, need)
	}
	return nil
}

func (g *editor) node(name string) *slurm.Node {
	for i := range g.View.Nodes {
		if g.View.Nodes[i].Name == name {
			return &g.View.Nodes[i]
		}
	}
	return nil
}

// usable says why nothing of this partition can start on the node (I12).
func (g *editor) usable(name string) *no {
	n := g.node(name)
	if n == nil {
		return deny(invariant.NodeLists, "node %s does not exist", name)
	}
	if why, ok := n.Schedulable(); !ok {
		return deny(invariant.NodeLists, "nothing can start on node %s: %s", name, why)
	}
	if !slices.Contains(n.Partitions, g.Partition) {
		return deny(invariant.NodeLists, "node %s is not in partition %s", name, g.Partition)
	}
	return nil
}
