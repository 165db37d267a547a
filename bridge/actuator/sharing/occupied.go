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
		held := shares.Held(j, v.Node)
		for _, h := range held {
			if h.Node != node || h.GPUType != d.Type && h.GPUType != "" {
				continue
			}
			g := byDevice[h.Device]
			if g == nil || h.Device == shares.UnknownDevice {
				g = &occupiedGPU{}
				byDevice[h.Device], all = g, append(all, g)
			}
			used := (h.Percent*d.SharesPerGPU + 99) / 100
			if len(held) > 1 {
				used = 1 // how many of which is not known: others may have all the rest
			}
			g.jobs, g.usedShards = append(g.jobs, j.ID), g.usedShards+used
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
		if o.Sharing.UsedMemMB() == 0 {
			return fmt.Sprintf("Slurm might put it beside job %d, and how much memory that uses is not known", id)
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
