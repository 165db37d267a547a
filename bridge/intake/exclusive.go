package intake

import (
	"cmp"
	"slices"

	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// widenToWholeNodes makes the ask of a job that shares its nodes with no other one of all
// that it takes: what Slurm gave it, which may be more than was asked for, or, while it waits,
// the GPUs and cores of the largest node that suits it, as often as it asks for nodes.
func (a *snapshotAssembler) widenToWholeNodes(ask *policy.Ask, j *slurm.Job) {
	switch {
	case ask.GPUs.Count == 0:
		return
	case j.IsRunning():
		if held := j.GPUCount(); held > ask.GPUs.Count {
			ask.GPUs.Count, ask.CPUs = held, max(ask.CPUs, int(j.AllocatedTRES.CPUs))
		}
		return
	case !j.Exclusive:
		return
	}
	gpus, cpus := 0, 0
	for _, n := range a.gpuNodeByName {
		if here := n.GPUCount(ask.GPUs.Type); here > 0 && suitsAsk(n, ask) {
			gpus, cpus = max(gpus, here), max(cpus, n.CPUs)
		}
	}
	ask.GPUs.Count = max(ask.GPUs.Count, ask.MinNodes*gpus)
	ask.CPUs = max(ask.CPUs, ask.MinNodes*cpus)
	ask.PerNode = cmp.Or(gpus, ask.PerNode)
}

// suitsAsk reports whether the job may run on the node as far as features and node lists say.
func suitsAsk(n *slurm.Node, ask *policy.Ask) bool {
	if slices.Contains(ask.ExcludedNodes, n.Name) || len(ask.RequiredNodes) > 0 && !slices.Contains(ask.RequiredNodes, n.Name) {
		return false
	}
	return !slices.ContainsFunc(ask.Features, func(f string) bool { return !slices.Contains(n.Features, f) })
}
