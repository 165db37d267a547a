package gate

import (
	"time"

	"fairbridge/bridge/invariant"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// slurmPassTime is how long Slurm may take to look at a job that has become eligible: its
// main pass comes every minute by default.
const slurmPassTime = time.Minute

// checkLeftBySlurm says why Slurm may give the job room by itself, or keep it waiting for
// something else than nodes, so that a stop of ours would be one for nothing (I8): it has not
// looked, it hands out licences, or the nodes are not to be had. By a view that is no whole
// list nothing is known of that.
func (f *facts) checkLeftBySlurm(to *policy.Job) *denial {
	list, whole := f.View.WholeList()
	if !whole || to.State != policy.Pending {
		return nil
	}
	j, ok := list.Job(int64(to.ID))
	if !ok {
		return nil
	}
	if !j.WasConsidered() && (f.clusterTime.Sub(j.Submit) < slurmPassTime || f.clusterTime.Sub(j.EligibleTime) < slurmPassTime) {
		return deny(invariant.StopPurpose, "Slurm has not tried to start job %s yet", j.Label())
	}
	if j.Licenses != "" && !j.WaitsForResources() {
		return deny(invariant.StopPurpose, "job %s asks for licences (%s), and Slurm does not say that it lacks nodes alone (its reason: %s)", j.Label(), j.Licenses, j.Reason)
	}
	if j.IsPending() && !j.WaitsForItsTurn() {
		return deny(invariant.StopPurpose, "Slurm keeps job %s back (%s)", f.Snapshot.JobLabel(to.ID), j.Reason)
	}
	return nil
}

// maxCleanupTime is how long a job may take to end before what it holds is not counted on.
const maxCleanupTime = 5 * time.Minute

// isEnding reports whether the job gives its devices back without us: it ends, or Slurm itself
// preempts it, perhaps after a grace time.
func (f *facts) isEnding(j *slurm.Job) bool {
	return j.HasFlag("COMPLETING") && f.clusterTime.Sub(j.End) < maxCleanupTime || j.WasSeenPreempted()
}

// checkNoRoomComes says which ending jobs may leave room enough for the job, so that another
// would be stopped for nothing (I8).
func (g *stopGate) checkNoRoomComes(to *policy.Job) *denial {
	perNode := max(to.Ask.PerNode, (to.Ask.GPUs.Count+max(to.Ask.MinNodes, 1)-1)/max(to.Ask.MinNodes, 1))
	leftByNode, endingByNode := map[string]int{}, map[string]int64{}
	for at, n := range g.freeDevices {
		if to.Ask.GPUs.Type == "" || at.GPUType == to.Ask.GPUs.Type {
			leftByNode[at.Node] += n
		}
	}
	for i := range g.Snapshot.Jobs {
		p := &g.Snapshot.Jobs[i]
		if j := g.View.Job(int64(p.ID)); j == nil || !p.HoldsGPUs() || !g.isEnding(j) {
			continue
		}
		for _, s := range p.On {
			if to.Ask.GPUs.Type == "" || s.Type == to.Ask.GPUs.Type {
				leftByNode[s.Node] += s.Count
				endingByNode[s.Node] = max(endingByNode[s.Node], int64(p.ID))
			}
		}
	}
	nodes, ending := 0, int64(0)
	for name, n := range leftByNode {
		if n >= perNode {
			nodes++
			ending = max(ending, endingByNode[name])
		}
	}
	if ending == 0 || nodes < max(to.Ask.MinNodes, 1) {
		return nil
	}
	return deny(invariant.StopPurpose, "job %s is ending, or preempted by Slurm itself, and may leave room enough for job %s", g.Snapshot.JobLabel(policy.JobID(ending)), to.Label())
}
