package slurm

import (
	"slices"
	"strings"
)

// HeldByAdmin reports whether an administrator, not its owner, holds the job.
func (j *Job) HeldByAdmin() bool { return j.Held && j.Reason == "JobHeldAdmin" }

// WaitsForDependency reports whether Slurm says that the job waits for others.
func (j *Job) WaitsForDependency() bool {
	return j.Dependency.Text != "" && strings.HasPrefix(j.Reason, "Dependency")
}

// NodesUnavailable reports whether Slurm says that the job's nodes are reserved or down.
func (j *Job) NodesUnavailable() bool { return strings.HasPrefix(j.Reason, "ReqNodeNotAvail") }

// WaitsForLimit reports whether the job waits for a reason that no ranking overcomes.
func (j *Job) WaitsForLimit() bool {
	return slices.ContainsFunc(limitReasons, func(p string) bool { return strings.HasPrefix(j.Reason, p) })
}

// limitReasons are the pending reasons (or beginnings of them) that no ranking
// can overcome.
var limitReasons = []string{
	"Assoc", "QOS", "Licenses", "JobArrayTaskLimit", "Dependency", "Partition", "Account",
	"BadConstraints", "InvalidQOS", "InvalidAccount", "Reservation", "DeadLine", "Prolog",
	"BurstBuffer", "MaxRequeueLimit", "MaxMemPerLimit", "JobHold",
}
