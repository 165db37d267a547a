package reconcile

import (
	"fairbridge/bridge/slurm"
)

// Holding is what a run has on one node: devices of one type.
type Holding struct {
	Node, GPUType string
	DeviceCount   int
	PercentOfGPU  int // percent of a whole GPU each device is
}

func newHolding(node string, g slurm.GRES) Holding {
	return Holding{node, g.Type, g.Count, g.PercentOfGPU()}
}

// holdingsOfJob returns what the job's record shows, on nodes that find knows.
func holdingsOfJob(j *slurm.Job, find func(string) *slurm.Node) []Holding {
	var out []Holding
	for _, h := range j.HeldDevices(find) {
		out = append(out, newHolding(h.Node, h.GRES))
	}
	return out
}
