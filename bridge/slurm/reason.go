package slurm

import (
	"slices"
	"strings"
)

// IsHeldByAdmin reports whether an administrator, not its owner, holds the job.
func (j *Job) IsHeldByAdmin() bool { return j.IsHeld && j.Reason == "JobHeldAdmin" }

// WaitsForDependency reports whether Slurm says that the job waits for others.
func (j *Job) WaitsForDependency() bool {
	return j.Dependency.Text != "" && strings.HasPrefix(j.Reason, "Dependency")
}

// turnReasons are the pending reasons that say no more than that it is not the job's turn: Slurm has not looked yet,
// others are ahead, there is no room, or its begin time is to come. Every other word, also one that Slurm has not yet
// invented, means that Slurm keeps the job back whatever its rank.
var turnReasons = []string{"", "None", "Priority", "Resources", "BeginTime"}

// WaitsForItsTurn reports whether Slurm names no reason that keeps the job back whatever its rank.
func (j *Job) WaitsForItsTurn() bool { return slices.Contains(turnReasons, j.Reason) }

// IsKeptBack reports whether Slurm keeps the job back whatever its rank. A job whose nodes are reserved or down
// (ReqNodeNotAvail) is not: which nodes those are the snapshot knows, and Slurm leaves that reason, also where
// it no longer holds, to jobs at the end of the line until it looks at them again. It gets its place in the
// order, but no stop and no pin.
func (j *Job) IsKeptBack() bool {
	return !j.WaitsForItsTurn() && !strings.HasPrefix(j.Reason, "ReqNodeNotAvail")
}

// UnplaceableReason says why fairbridge cannot tell which nodes suit the job; "" when it can.
func (j *Job) UnplaceableReason() string {
	switch {
	case !j.Features.IsPlainList():
		return "its constraint " + j.Features.Text + " is more than a list of features"
	case j.GresPerNode.HasMixedTypes() || j.GresPerJob.HasMixedTypes():
		return "it asks for several types of GPU"
	case j.Exclusive:
		return "it asks for whole nodes"
	case j.otherGRES() != "":
		return "it asks for " + j.otherGRES()
	case strings.Contains(j.Licenses, "|"):
		return "it asks for one of several licences"
	case j.MinCPUsPerNode*max(j.NodeCount, 1) > max(j.CPUs, 1):
		return "it asks for nodes with more cores than it takes (--mincpus)"
	case j.UnusualRequest != "":
		return "it asks for more than GPUs, cores and memory (" + j.UnusualRequest + ")"
	}
	return ""
}

// otherGRES names a generic resource other than GPUs and their shards that the job asks for; "" when there is none.
func (j *Job) otherGRES() string {
	for _, list := range [][]GRES{j.GresPerNode.List, j.GresPerJob.List, j.GresPerTask.List, j.RequestedTRES.Gres} {
		for _, g := range list {
			if g.Name != "gpu" && g.Name != "shard" {
				return g.Name
			}
		}
	}
	return ""
}
