package slurm

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Partition is one partition record of Slurm.
type Partition struct {
	Name            string
	State           string // UP, DOWN, DRAIN or INACTIVE; "" when the record cannot be read
	Nodes           Hosts
	MaxTimeMinutes  int64 // minutes; 0: no limit
	PriorityTier    int
	AllowedAccounts []string // allowed accounts; none: all
	AllowedQOS      []string // allowed QOS; none: all
}

// IsClosed reports whether the partition starts no job, not even one that waits already. In
// one that drains those start.
func (p *Partition) IsClosed() bool { return p.State == "DOWN" || p.State == "INACTIVE" }

// ClosedReason says that the partition is closed; "" when it is not.
func (p *Partition) ClosedReason() string {
	if !p.IsClosed() {
		return ""
	}
	return "partition " + p.Name + " is " + strings.ToLower(p.State) + " and starts no job"
}

// RefusalReason says why the partition, as it is now, would keep the job waiting whatever is
// free: it is closed, or its limits exclude the job. "" when nothing of that is known.
func (p *Partition) RefusalReason(j *Job) string {
	limit := time.Duration(p.MaxTimeMinutes) * time.Minute
	switch {
	case p.IsClosed():
		return p.ClosedReason()
	case limit > 0 && j.TimeLimit > limit:
		return fmt.Sprintf("partition %s takes jobs of at most %v, and its limit is %v", p.Name, limit, j.TimeLimit)
	case !isAllowed(p.AllowedAccounts, j.Account):
		return "partition " + p.Name + " does not take account " + j.Account
	case !isAllowed(p.AllowedQOS, j.QOS):
		return "partition " + p.Name + " does not take QOS " + j.QOS
	}
	return ""
}

// isAllowed reports whether the list allows the name; an empty one, or ALL, allows every name.
func isAllowed(list []string, name string) bool {
	return len(list) == 0 || slices.ContainsFunc(list, func(s string) bool { return strings.EqualFold(s, name) || strings.EqualFold(s, "ALL") })
}
