package slurm

import (
	"slices"
	"strings"
)

// HeldByAdmin reports whether an administrator, not its owner, holds the job.
func (j *Job) HeldByAdmin() bool { return j.Held && j.Reason == "JobHeldAdmin" }

// Depends reports whether Slurm says that the job waits for others.
func (j *Job) Depends() bool {
	return j.Dependency.Text != "" && strings.HasPrefix(j.Reason, "Dependency")
}

// NoNodes reports whether Slurm says that the job's nodes are reserved or down.
func (j *Job) NoNodes() bool { return strings.HasPrefix(j.Reason, "ReqNodeNotAvail") }

// Limited reports whether the job waits for a reason that no ranking overcomes.
func (j *Job) Limited() bool {
	return slices.ContainsFunc(limitReasons, func(p string) bool { return strings.HasPrefix(j.Reason, p) })
}

// limitReasons are the pending reasons (or beginnings of them) that no ranking
// can overcome.
var limitReasons = []string{
	"Assoc", "QOS", "Licenses", "JobArrayTaskLimit", "Dependency", "Partition", "Account",
	"BadConstraints", "InvalidQOS", "InvalidAccount", "Reservation", "DeadLine", "Prolog",
	"BurstBuffer", "MaxRequeueLimit", "MaxMemPerLimit", "JobHold",
}
