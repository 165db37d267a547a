package intake

import (
	"errors"
	"fmt"
	"slices"

	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// demandOf returns what one task of the job asks for, or holds. A job without
// GPUs has a count of 0.
func demandOf(j *slurm.Job) (policy.Ask, error) {
	switch {
	case j.Request.Unread != "":
		return policy.Ask{}, errors.New(j.Request.Unread)
	case j.PerNode.Unread != "":
		return policy.Ask{}, errors.New(j.PerNode.Unread)
	}
	ask := policy.Ask{
		MinNodes: max(j.NodeCount, 1), MaxNodes: j.MaxNodes,
		CPUs: int(j.Request.CPUs), MemMB: j.Request.MemMB, PerNode: slurm.SumGRES(j.PerNode.List, "gpu"),
		Features: j.Features.All,
	}
	if ask.CPUs == 0 {
		ask.CPUs = j.CPUs
	}
	gpus, err := j.RequestedGPUs()
	if err != nil {
		return ask, err
	}
	if gpus.Count == 0 && j.Running() {
		gpus.Count = j.GPUs() // it holds what its request does not show
	}
	ask.GPUs = policy.GPUs{Type: gpus.Type, Count: gpus.Count, PartPercent: policyPercent(gpus.Type)}
	if j.Required.Unread != "" {
		return ask, fmt.Errorf("required nodes: %s", j.Required.Unread)
	}
	ask.RequiredNodes = j.Required.Names
	if j.Excluded.Unread != "" {
		return ask, fmt.Errorf("excluded nodes: %s", j.Excluded.Unread)
	}
	ask.ExcludedNodes = j.Excluded.Names
	return ask, nil
}

// policyPercent returns how many percent of a GPU a device of the type is, as policies
// have it: 0 for a whole one.
func policyPercent(typ string) int {
	if p := slurm.TypePercentOfGPU(typ); p < 100 {
		return p
	}
	return 0
}

// askOnSlices returns what a running job asks. One that took any GPU and was given
// slices of one type asks for those while it runs: that is what it is served and
// charged.
func askOnSlices(asks policy.GPUs, on policy.Alloc) policy.GPUs {
	typ := on.FirstType()
	if asks.Type != "" || policyPercent(typ) == 0 || slices.ContainsFunc(on, func(s policy.Slot) bool { return s.Type != typ }) {
		return asks
	}
	asks.Type, asks.PartPercent = typ, policyPercent(typ)
	return asks
}

// allocOf returns what a running job holds on the nodes of the partition, no more
// than all nodes have.
func (a *assembler) allocOf(j *slurm.Job) policy.Alloc {
	var on policy.Alloc
	for _, h := range j.HeldDevices(a.View.Node) {
		if n := min(h.Count, a.clusterTotals.gpus); n > 0 && a.nodes[h.Node] != nil {
			on = append(on, policy.Slot{Node: h.Node, Type: h.Type, Count: n})
		}
	}
	return on
}
