package probes

import (
	"slices"

	"fairbridge/bridge/slurm"
	"fairbridge/bridge/slurm/shares"
)

// heldDevices returns the GPUs that a running job holds, with those of which it has shards: a shard limits neither cores
// nor memory, so that a job without neighbours has the whole GPU. MPS limits the cores, and is no GPU.
func heldDevices(j *slurm.Job, v *slurm.View) []slurm.DeviceHold {
	held := j.HeldDevices(v.Node)
	if len(held) > 0 || slices.ContainsFunc(j.GresDetail, holdsMPS) {
		return held
	}
	for _, h := range shares.Held(j, v.Node) {
		held = append(held, slurm.DeviceHold{Node: h.Node, GRES: slurm.GRES{Name: "gpu", Type: h.GPUType, Count: 1}})
	}
	return held
}

func holdsMPS(l slurm.GRESList) bool {
	return slices.ContainsFunc(l.List, func(g slurm.GRES) bool { return g.Name == "mps" })
}

// countDevices returns how many GPUs those are.
func countDevices(held []slurm.DeviceHold) int {
	n := 0
	for _, h := range held {
		n += h.Count
	}
	return n
}
