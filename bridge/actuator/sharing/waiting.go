package sharing

import (
	"fmt"
	"slices"

	"fairbridge/bridge/slurm"
	"fairbridge/bridge/slurm/shares"
	"fairbridge/policy"
)

// Start is a job that is to start on shards, as decided in the same cycle.
type Start struct {
	Job    int64
	Node   string
	Shards int
}

// AppendStart appends the start that an edit asks shards for, if it asks for any.
func AppendStart(starts []Start, e slurm.Edit) []Start {
	if e.Kind != slurm.EditSetShards || len(e.Nodes) != 1 {
		return starts
	}
	return append(starts, Start{e.Run.Job, e.Nodes[0], int(e.Value)})
}

// waitingObjection says beside which job that waits for shards of the node Slurm might put the job, so that one of the
// two is hurt or did not agree; "" when there is none. Which of them starts first, on which GPU of the node, and whether all
// that is sent reaches Slurm, nobody knows: so each counts as if it were alone there. Two that fit on a GPU
// fill half of it at least (Size), so that no third comes with them.
func (a *assigner) waitingObjection(p *policy.Job, at nodeType, d *policy.NodeDevices, shards int) string {
	n := a.view.Node(at.node)
	if n == nil {
		return "node " + at.node + " does not exist"
	}
	for _, j := range a.waitingNeighbours(p, n, d, shards) {
		if why := a.neighbourObjection(p, j, d); why != "" {
			return why
		}
	}
	return ""
}

// waitingNeighbours returns the jobs that wait for shards of the node, of which Slurm could put one on a GPU with the job.
func (a *assigner) waitingNeighbours(p *policy.Job, n *slurm.Node, d *policy.NodeDevices, shards int) []*slurm.Job {
	var out []*slurm.Job
	for _, x := range a.waitingStarts(n) {
		if j := a.view.Job(x.Job); j != nil && policy.JobID(x.Job) != p.ID && shards+x.Shards <= d.SharesPerGPU {
			out = append(out, j)
		}
	}
	return out
}

// hasNeighbours reports whether other jobs hold or wait for shards there with which Slurm could put the job on a GPU.
func (a *assigner) hasNeighbours(p *policy.Job, at nodeType, d *policy.NodeDevices, shards int) bool {
	n := a.view.Node(at.node)
	return n != nil && len(a.waitingNeighbours(p, n, d, shards)) > 0 ||
		slices.ContainsFunc(a.gpusAt(at, d), func(g *occupiedGPU) bool { return g.hasRoom(shards, d.SharesPerGPU) })
}

// waitingStarts returns the jobs that wait for shards of a GPU of the node, as their records say, and those that are decided
// to. One that is both is there twice: nobody knows which it starts on.
func (a *assigner) waitingStarts(n *slurm.Node) []Start {
	if a.asking == nil {
		a.asking = []*slurm.Job{}
		for i := range a.view.Jobs {
			if j := &a.view.Jobs[i]; j.IsPending() && shares.Requested(j) {
				a.asking = append(a.asking, j)
			}
		}
	}
	var out []Start
	for _, j := range a.asking {
		if mayComeTo(j, n) {
			out = append(out, Start{j.ID, n.Name, max(slurm.SumGRES(j.GresPerNode.List, "shard"), 1)})
		}
	}
	for _, x := range a.starts {
		if x.Node == n.Name {
			out = append(out, x)
		}
	}
	return out
}

// mayComeTo reports whether Slurm might start the waiting job on the node, as far as node lists and partitions say.
func mayComeTo(j *slurm.Job, n *slurm.Node) bool {
	if need := j.RequiredNodes; need.UnreadReason == "" && len(need.Names) > 0 && j.NodeCount <= len(need.Names) {
		return slices.Contains(need.Names, n.Name)
	}
	return slices.ContainsFunc(j.Partitions, func(name string) bool { return slices.Contains(n.Partitions, name) })
}

// neighbourObjection says why the job and the waiting one must not come together on a GPU. Of one that is in no
// snapshot, because it asks for shards by itself or is of another partition, the record says who accepts it.
func (a *assigner) neighbourObjection(p *policy.Job, j *slurm.Job, d *policy.NodeDevices) string {
	o := a.snapshot.Job(policy.JobID(j.ID))
	switch {
	case o == nil && j.User == p.User && p.User != "":
		return ""
	case o == nil && p.Sharing != nil && p.Sharing.AcceptsOtherUsers && j.Directive.SharesWithAll:
		return ""
	case o == nil && j.User == p.User:
		return fmt.Sprintf("job %s waits for shards too, and whose it is is not known", j.Label())
	case o == nil:
		return fmt.Sprintf("job %s of another user waits for shards too, and Slurm might put it beside", j.Label())
	case !p.AcceptsNeighbour(o):
		return fmt.Sprintf("job %s waits for shards there too, Slurm might put it beside, and their owners do not both accept that", j.Label())
	case o.Sharing.UsedMemMB() == 0:
		return fmt.Sprintf("job %s waits for shards there too, and how much memory it uses is not known", j.Label())
	case p.Sharing.UsedMemMB()+o.Sharing.UsedMemMB()+policy.SharedMemMarginMB > d.MemMB:
		return fmt.Sprintf("job %s waits for shards there too, and the memory of the GPU, %d MB, is not enough for both", j.Label(), d.MemMB)
	}
	return ""
}
