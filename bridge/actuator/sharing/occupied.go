package sharing

import (
	"fmt"
	"slices"

	"fairbridge/bridge/slurm"
	"fairbridge/bridge/slurm/shares"
	"fairbridge/policy"
)

// occupiedGPU is a GPU of which shards are given out, or will be.
type occupiedGPU struct {
	jobs       []int64
	usedShards int
}

// occupiedGPUs returns the GPUs of the type on the node of which running jobs hold shares.
func occupiedGPUs(v *slurm.View, node string, d *policy.NodeDevices) []*occupiedGPU {
	var all []*occupiedGPU
	byDevice := map[int]*occupiedGPU{}
	for i := range v.Jobs {
		j := &v.Jobs[i]
		if !j.IsRunning() || !slices.Contains(j.Nodes.Names, node) {
			continue
		}
		for _, h := range shares.Held(j, v.Node) {
			if h.Node != node || h.GPUType != d.Type && h.GPUType != "" {
				continue
			}
			g := byDevice[h.Device]
			if g == nil || h.Device == shares.UnknownDevice {
				g = &occupiedGPU{}
				byDevice[h.Device], all = g, append(all, g)
			}
			g.jobs, g.usedShards = append(g.jobs, j.ID), g.usedShards+(h.Percent*d.SharesPerGPU+99)/100
		}
	}
	return all
}

// hasRoom reports whether Slurm could give so many more of the GPU's shards out.
func (g *occupiedGPU) hasRoom(shards, perGPU int) bool { return g.usedShards+shards <= perGPU }

// objection says why the job must not come beside those on the GPU; "" when it may.
func (g *occupiedGPU) objection(s *policy.Snapshot, p *policy.Job, d *policy.NodeDevices) string {
	most, memMB := p.JobsPerGPU(), p.Sharing.UsedMemMB()+policy.SharedMemMarginMB
	for _, id := range g.jobs {
		o := s.Job(policy.JobID(id))
		if o == nil || !p.AcceptsNeighbour(o) {
			return fmt.Sprintf("Slurm might put it beside job %d, and their owners do not both accept that", id)
		}
		most, memMB = min(most, o.JobsPerGPU()), memMB+o.Sharing.UsedMemMB()
	}
	switch {
	case len(g.jobs)+1 > most:
		return fmt.Sprintf("Slurm might put it on a GPU with %s, and one of them accepts fewer", policy.FormatCount(len(g.jobs), "other job"))
	case memMB > d.MemMB:
		return fmt.Sprintf("the memory of the GPU, %d MB, is not enough for it beside job %d", d.MemMB, g.jobs[0])
	}
	return ""
}

// uninvitedReason says which waiting job that asks for shards by itself Slurm might put beside the job; "" when
// there is none. One of the same user, or whose owner accepts others as the job's does, is welcome.
func uninvitedReason(v *slurm.View, s *policy.Snapshot, p *policy.Job, node string) string {
	n := v.Node(node)
	if n == nil {
		return "node " + node + " does not exist"
	}
	for i := range v.Jobs {
		j := &v.Jobs[i]
		if !j.IsPending() || j.User == p.User || !shares.Requested(j) || s.Job(policy.JobID(j.ID)) != nil {
			continue
		}
		isOpen := p.Sharing != nil && p.Sharing.AcceptsOtherUsers && j.Directive.SharesWithAll
		if !isOpen && slices.ContainsFunc(j.Partitions, func(name string) bool { return slices.Contains(n.Partitions, name) }) {
			return fmt.Sprintf("job %s of another user waits for shards too, and Slurm might put it beside", j.Label())
		}
	}
	return ""
}
