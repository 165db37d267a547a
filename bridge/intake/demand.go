package intake

import (
	"errors"
	"fmt"
	"slices"

	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// askFromJob returns what one task of the job asks for, or holds. A job without
// GPUs has a count of 0.
func askFromJob(j *slurm.Job) (policy.Ask, error) {
	switch {
	case j.RequestedTRES.UnreadReason != "":
		return policy.Ask{}, errors.New(j.RequestedTRES.UnreadReason)
	case j.GresPerNode.UnreadReason != "":
		return policy.Ask{}, errors.New(j.GresPerNode.UnreadReason)
	}
	ask := policy.Ask{
		MinNodes: max(j.NodeCount, 1), MaxNodes: j.MaxNodes,
		CPUs: int(j.RequestedTRES.CPUs), MemMB: j.RequestedTRES.MemMB, PerNode: slurm.SumGRES(j.GresPerNode.List, "gpu"),
		Features: j.Features.Required,
	}
	if ask.CPUs == 0 {
		ask.CPUs = j.CPUs
	}
	gpus, err := j.RequestedGPUs()
	if err != nil {
		return ask, err
	}
	if gpus.Count == 0 && j.IsRunning() {
		gpus.Count = j.GPUCount() // it holds what its request does not show
	}
	ask.GPUs = policy.GPUs{Type: gpus.Type, Count: gpus.Count, PartPercent: partPercentOfType(gpus.Type)}
	if j.RequiredNodes.UnreadReason != "" {
		return ask, fmt.Errorf("required nodes: %s", j.RequiredNodes.UnreadReason)
	}
	ask.RequiredNodes = j.RequiredNodes.Names
	if j.ExcludedNodes.UnreadReason != "" {
		return ask, fmt.Errorf("excluded nodes: %s", j.ExcludedNodes.UnreadReason)
	}
	ask.ExcludedNodes = j.ExcludedNodes.Names
	return ask, nil
}

// partPercentOfType returns how many percent of a GPU a device of the type is, as policies
// have it: 0 for a whole one.
func partPercentOfType(typ string) int {
	if p := slurm.PercentOfGPUType(typ); p < 100 {
		return p
	}
	return 0
}

// narrowToHeldSlices returns what a running job asks. One that took any GPU and was given
// slices of one type asks for those while it runs: that is what it is served and
// charged.
func narrowToHeldSlices(asks policy.GPUs, on policy.Alloc) policy.GPUs {
	typ := on.FirstType()
	if asks.Type != "" || partPercentOfType(typ) == 0 || slices.ContainsFunc(on, func(s policy.Slot) bool { return s.Type != typ }) {
		return asks
	}
	asks.Type, asks.PartPercent = typ, partPercentOfType(typ)
	return asks
}

// heldAlloc returns what a running job holds on the nodes of the partition, no more
// than all nodes have.
func (a *snapshotAssembler) heldAlloc(j *slurm.Job) policy.Alloc {
	var on policy.Alloc
	for _, h := range j.HeldDevices(a.View.Node) {
		if n := min(h.Count, a.clusterTotals.gpus); n > 0 && a.gpuNodeByName[h.Node] != nil {
			on = append(on, policy.Slot{Node: h.Node, Type: h.Type, Count: n, Devices: namedDevices(a, j, h)})
		}
	}
	return on
}
