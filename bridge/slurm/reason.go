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

// HasUnavailableNodes reports whether Slurm says that the job's nodes are reserved or down.
func (j *Job) HasUnavailableNodes() bool { return strings.HasPrefix(j.Reason, "ReqNodeNotAvail") }

// IsBlockedAtAnyRank reports whether the job waits for a reason that no ranking overcomes.
func (j *Job) IsBlockedAtAnyRank() bool {
	return slices.ContainsFunc(blockingReasons, func(p string) bool { return strings.HasPrefix(j.Reason, p) })
}

// WasConsidered reports whether Slurm has tried to start the job, so that its reason is known.
func (j *Job) WasConsidered() bool { return j.Reason != "" && j.Reason != "None" }

// WaitsForResources reports whether Slurm says that nodes are all that the job lacks.
func (j *Job) WaitsForResources() bool { return j.Reason == "Resources" }

// blockingReasons are the pending reasons (or beginnings of them) that no ranking
// can overcome.
var blockingReasons = []string{
	"Assoc", "QOS", "Licenses", "JobArrayTaskLimit", "Dependency", "Partition", "Account",
	"BadConstraints", "InvalidQOS", "InvalidAccount", "Reservation", "DeadLine", "Prolog",
	"BurstBuffer", "MaxRequeueLimit", "MaxMemPerLimit", "JobHold",
}
