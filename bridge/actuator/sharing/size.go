// Package sharing says which waiting jobs start on shards of a GPU, so that others can run beside them, and on how
// many. Slurm chooses the GPU of a node, and it counts shards and nothing else: so jobs get
// shards by the memory they use and how busy they keep a GPU, and only where every job that Slurm could
// put beside them is one whose owner accepts theirs. It is pure.
package sharing

import (
	"fmt"

	"fairbridge/bridge/slurm"
	"fairbridge/bridge/slurm/shares"
	"fairbridge/policy"
	"fairbridge/policy/interference"
)

// FixedReason says why the GPU that a waiting job asks for cannot become shards of one and be given back
// without anything else of it changing; "" when it can. ask is its owner's. It was found out on 22.05,
// 24.11 and 26.05 (docs/sharing.md).
func FixedReason(j *slurm.Job, ask *policy.Ask, release string) string {
	own, isOurs := j.GresPerNode, shares.Requested(j) // one that asks for shards itself is in no snapshot while it waits
	switch {
	case release < "24.11":
		return "Slurm " + release + " cannot make the GPU of a waiting job shards"
	case !j.IsBatch:
		return "it is interactive"
	case j.ArrayJobID != 0:
		return "it is of a job array"
	case j.HetJobID != 0:
		return "it is part of a heterogeneous job"
	case ask.GPUs.Count != 1 || ask.GPUs.PartPercent != 0:
		return fmt.Sprintf("it asks for %v, and shards are of one whole GPU", ask.GPUs)
	case j.GresPerJob.Text != "" || j.GresPerTask.Text != "" || own.UnreadReason != "" || len(own.List) != 1 || !isOurs && own.List[0].Name != "gpu":
		return "its GPU is not asked for by --gres=gpu:1 alone"
	case j.CPUsPerGRES != "" || j.MemPerNodeMB == 0 && j.MemPerCPUMB == 0:
		return "its cores or its memory are asked for by the GPU (--cpus-per-gpu, --mem-per-gpu), and Slurm refuses to change that"
	case j.NodeCount > 1 || j.MaxNodes > 1 || j.ProcessCount != 1:
		return fmt.Sprintf("it does not run as one task on one node (%s, %s)", policy.FormatCount(j.ProcessCount, "task"), policy.FormatCount(max(j.NodeCount, j.MaxNodes), "node"))
	case j.Exclusive:
		return "it takes whole nodes (--exclusive)"
	}
	return ""
}

// Size returns how many shards of one of the devices the job gets: by its memory, of which the sum of all on
// a GPU then leaves the margin free, by how busy it keeps a GPU, and as many at least as let no more jobs on
// it than it accepts. why says why it has to have the GPU for itself; "" when it has not.
func Size(p *policy.Job, d *policy.NodeDevices) (shards int, why string) {
	per, u := d.SharesPerGPU, interference.Utilisation(p)
	switch {
	case !p.Shareable:
		return 0, "its owner did not opt in to neighbours, or it can have none"
	case per < 2 || d.OnlyWhole:
		return 0, fmt.Sprintf("GPUs of type %s are not given out in shards there", d.Type)
	case p.Sharing.UsedMemMB() == 0 || d.MemMB == 0:
		return 0, "its memory on a GPU, or the memory of the GPU, is not known"
	case !u.Known:
		return 0, "how busy it keeps a GPU is not known"
	}
	shards = interference.Shards(interference.ClassAt(u.Value), p.Sharing.UsedMemMB(), d.MemMB, policy.SharedMemMarginMB, per)
	if shards = max(shards, (per+p.JobsPerGPU()-1)/p.JobsPerGPU()); shards >= per {
		return per, fmt.Sprintf("it needs a GPU for itself: %d MB of %d, busy %.0f %% of the time", p.Sharing.UsedMemMB(), d.MemMB, 100*u.Value)
	}
	return shards, ""
}

// devicesOfType returns the devices of the type on the node, or nil.
func devicesOfType(n *policy.Node, gpuType string) *policy.NodeDevices {
	if n == nil {
		return nil
	}
	for i := range n.GPUs {
		if n.GPUs[i].Type == gpuType {
			return &n.GPUs[i]
		}
	}
	return nil
}
