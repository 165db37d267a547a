package actuator

import (
	"cmp"
	"fmt"
	"slices"

	"fairbridge/bridge/invariant"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// FixedSizeReason says why the number of GPUs of a job cannot be changed and given back without
// anything else of it changing, or without steps in it that fail; "" when it can. It was found
// out on 22.05, 24.11 and 26.05 (docs/elastic.md).
func FixedSizeReason(j *slurm.Job) string {
	own := j.GresPerNode
	switch {
	case !j.IsBatch:
		return "it is interactive"
	case j.ArrayJobID != 0:
		return "it is of a job array"
	case j.HetJobID != 0:
		return "it is part of a heterogeneous job"
	case j.GresPerJob.Text != "" || slurm.SumGRES(j.GresPerTask.List, "gpu") > 0 || own.Text == "":
		return "its GPUs are not asked for by --gres=gpu:N, and srun in it would go on asking for the old number"
	case own.UnreadReason != "" || len(own.List) != 1 || own.List[0].Name != "gpu" || slurm.PercentOfGPUType(own.List[0].Type) < 100:
		return fmt.Sprintf("it asks for %q, not for whole GPUs alone", own.Text)
	case j.CPUsPerGRES != "":
		return "it asks for cores by --cpus-per-gpu, with which Slurm 24.11 never starts it on fewer GPUs"
	case j.NodeCount > 1 || j.MaxNodes > 1 || j.ProcessCount != 1:
		return fmt.Sprintf("it does not run as one task on one node (%s, %s)", policy.FormatCount(j.ProcessCount, "task"), policy.FormatCount(max(j.NodeCount, j.MaxNodes), "node"))
	case j.Exclusive:
		return "it takes whole nodes (--exclusive)"
	}
	return ""
}

// FixedTypeReason says why the GPU type of a job whose number of GPUs can be changed cannot be; "" when
// it can. It was found out on 22.05, 24.11 and 26.05 (docs/elastic.md); of those between nothing is known.
func FixedTypeReason(j *slurm.Job, release string) string {
	switch {
	case requestedGPUs(j).Type == "":
		return "it asks for GPUs of any type"
	case release < "24.11":
		return "Slurm " + release + " goes on counting the former type beside the new one, also after it is given back"
	}
	return ""
}

// TypeWithoutNodeReason says which of the nodes has no GPU of the type, so that a job that names them would never
// start; "" when all have.
func TypeWithoutNodeReason(v *slurm.View, gpuType string, nodes []string) string {
	for _, name := range nodes {
		n := v.Node(name)
		if gpuType != "" && (n == nil || !slices.ContainsFunc(n.GPUs(), func(g slurm.GRES) bool { return g.Type == gpuType })) {
			return fmt.Sprintf("node %s, to which it is bound, has no GPU of type %s", name, gpuType)
		}
	}
	return ""
}

// checkGPUCount checks the number of GPUs of an elastic pending job, and their type (I23).
func checkGPUCount(c *EditContext) *invariant.Denial {
	if c.GivesBack {
		return nil
	}
	p := c.SnapshotJob
	retyped := c.Text != "" && c.Text != p.Ask.GPUs.Type
	if why := cmp.Or(FixedSizeReason(c.SlurmJob), c.checkGPUType(retyped), TypeWithoutNodeReason(c.View, c.Text, c.SlurmJob.RequiredNodes.Names)); why != "" {
		return invariant.DeclaredSizes.Deny("%s", why)
	}
	asked, lo, hi := int64(p.Ask.GPUs.Count), int64(p.MinGPUs), int64(p.MaxGPUs)
	switch {
	case (lo < 1 || hi < lo) && (c.Value != asked || !retyped):
		return invariant.DeclaredSizes.Deny("it is not elastic")
	case c.Value != asked && (c.Value < lo || c.Value > hi):
		return invariant.DeclaredSizes.Deny("%d GPUs are not between its owner's %d and %d", c.Value, lo, hi)
	case (c.Value > asked || retyped) && !c.HasExpiryTimer:
		return noExpiryTimerDenial
	}
	return nil
}

// checkGPUType says why the job cannot ask for another type of GPU; "" when it can.
func (c *EditContext) checkGPUType(retyped bool) string {
	switch {
	case !retyped:
		return ""
	case !slices.Contains(c.SnapshotJob.GPUTypes, c.Text):
		return fmt.Sprintf("its owner does not accept GPUs of type %s", c.Text)
	}
	return FixedTypeReason(c.SlurmJob, c.View.Release)
}
