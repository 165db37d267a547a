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

// IsBlockedAtAnyRank reports whether the job waits for a reason that no ranking overcomes.
func (j *Job) IsBlockedAtAnyRank() bool {
	return slices.ContainsFunc(blockingReasons, func(p string) bool { return strings.HasPrefix(j.Reason, p) })
}

// blockingReasons are the pending reasons (or beginnings of them) that no ranking
// can overcome.
var blockingReasons = []string{
	"Assoc", "QOS", "Licenses", "JobArrayTaskLimit", "Dependency", "Partition", "Account",
	"BadConstraints", "InvalidQOS", "InvalidAccount", "Reservation", "DeadLine", "Prolog",
	"BurstBuffer", "MaxRequeueLimit", "MaxMemPerLimit", "JobHold",
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
	}
	return ""
}
