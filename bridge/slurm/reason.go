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

// UnplaceableReason says why fairbridge cannot tell which nodes suit the job; "" when it can.
func (j *Job) UnplaceableReason() string {
	switch {
	case !j.Features.IsPlainList():
		return "its constraint " + j.Features.Text + " is more than a list of features"
	case j.GresPerNode.HasMixedTypes() || j.GresPerJob.HasMixedTypes():
		return "it asks for several types of GPU"
	case j.Exclusive:
		return "it asks for whole nodes"
	}
	return ""
}
