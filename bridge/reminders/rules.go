package reminders

import (
	"slices"
	"time"

	"fairbridge/bridge/slurm"
)

// LeastSpell is the shortest time that counts as idle: that of report idle-now.
const LeastSpell = 10 * time.Minute

// Rules say who is told when.
type Rules struct {
	Cluster string
	// Steps are how long GPUs of a job are idle until its owner is told, ascending; none: no owner is told.
	Steps      []time.Duration
	Partitions []string // whose jobs are looked at
	// MinGPUs is how many of a job's GPUs must have been idle so long, at least.
	MinGPUs                     int
	ExemptUsers, ExemptAccounts []string
	InteractiveGrace            time.Duration // so long after its start no interactive job (salloc, srun) counts
	MessagesPerOwner            int           // in 24 hours
	MessagesInAll               int           // in an hour
	MailDomain                  string        // of addresses, where a job has none of its own; "": owners have no address
	OtherMailDomains            []string      // of which an owner's own address (--mail-user) may be besides
}

// silence says why nothing is told of a job; "" when something may be.
func (r *Rules) silence(j *slurm.Job, at time.Time) string {
	switch {
	case j.UntrustedReason != "":
		return "its record cannot be trusted"
	case j.State != "RUNNING" || j.HasFlag("COMPLETING"):
		return "it does not run, or ends"
	case !slices.ContainsFunc(r.Partitions, j.IsInPartition):
		return "its partition is not looked after"
	case j.Directive.Quiet:
		return "its owner said fairbridge:quiet"
	case j.Directive.Service != "":
		return "it is a replica of a service, which may wait for requests"
	case slices.Contains(r.ExemptUsers, j.User):
		return "its user is exempt"
	case slices.Contains(r.ExemptAccounts, j.Account):
		return "its account is exempt"
	case j.Start.IsZero() || j.Start.After(at):
		return "its start is not known"
	case !j.IsBatch && at.Sub(j.Start) < r.InteractiveGrace:
		return "it is interactive, and young"
	}
	return ""
}
