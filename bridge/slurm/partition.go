package slurm

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"
)

// Partition is one partition record of Slurm.
type Partition struct {
	Name           string
	State          string // UP, DOWN, DRAIN or INACTIVE; "" when the record cannot be read
	Nodes          Hosts
	MaxTimeMinutes int64 // minutes; 0: no limit
	MaxNodes       int   `json:",omitempty"` // of a job; 0: no limit
	MaxCPUsPerNode int   `json:",omitempty"` // cores of a node that all its jobs may use together; 0: no limit
	// Exclusive names the jobs that share no node with a job of the partition: YES (all), USER (those of other
	// users), TOPO; "": none, or Slurm does not tell.
	Exclusive       string `json:",omitempty"`
	PriorityTier    int
	AllowedAccounts []string // allowed accounts; none: all
	AllowedQOS      []string // allowed QOS; none: all
	DeniedAccounts  []string // denied accounts; Slurm heeds them where it names no allowed ones
	DeniedQOS       []string // denied QOS; likewise
	QOS             string   `json:",omitempty"` // whose limits count for all jobs of the partition; "": none
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
		return fmt.Sprintf("partition %s takes jobs of at most %s, and its limit is %s", p.Name, shortDuration(limit), shortDuration(j.TimeLimit))
	case p.MaxNodes > 0 && j.NodeCount > p.MaxNodes:
		return fmt.Sprintf("partition %s gives a job %d nodes, and it asks for %d", p.Name, p.MaxNodes, j.NodeCount)
	case !isAllowed(p.AllowedAccounts, p.DeniedAccounts, j.Account):
		return "partition " + p.Name + " does not take account " + j.Account
	case !isAllowed(p.AllowedQOS, p.DeniedQOS, j.QOS):
		return "partition " + p.Name + " does not take QOS " + j.QOS
	}
	return ""
}

// UnplaceableReason says why fairbridge cannot tell which nodes the partition gives a job; "" when it can.
func (p *Partition) UnplaceableReason() string {
	switch {
	case p.Exclusive != "":
		return "partition " + p.Name + " does not share nodes (exclusive: " + p.Exclusive + ")"
	case p.MaxCPUsPerNode > 0:
		return fmt.Sprintf("partition %s gives its jobs %d cores of a node at most", p.Name, p.MaxCPUsPerNode)
	}
	return ""
}

// UnplaceableReason says why fairbridge cannot tell which nodes suit the job, by its request or by its
// partitions; "" when it can.
func (v *View) UnplaceableReason(j *Job) string {
	why := j.UnplaceableReason()
	for p := range v.PartitionsOf(j) {
		why = cmp.Or(why, p.UnplaceableReason())
	}
	return why
}

// PartitionsOf returns those of the job's partitions that the view has, in the job's order.
func (v *View) PartitionsOf(j *Job) iter.Seq[*Partition] {
	return func(yield func(*Partition) bool) {
		for _, name := range j.Partitions {
			if p := v.Partition(name); p != nil && !yield(p) {
				return
			}
		}
	}
}

// shortDuration prints a duration without the zeros at its end: 24h.
func shortDuration(d time.Duration) string {
	text := d.String()
	for _, zero := range []string{"0s", "0m"} {
		if rest, ok := strings.CutSuffix(text, zero); ok && strings.TrimRight(rest, "hm") != rest {
			text = rest
		}
	}
	return text
}

// isAllowed reports whether the lists allow the name. Slurm heeds denied names only where it
// names no allowed ones; ALL is as good as none.
func isAllowed(allowed, denied []string, name string) bool {
	if len(allowed) > 0 && !isNamed(allowed, "ALL") {
		return isNamed(allowed, name)
	}
	return !isNamed(denied, name)
}

func isNamed(list []string, name string) bool {
	return slices.ContainsFunc(list, func(s string) bool { return strings.EqualFold(s, name) })
}

// HighestTier returns the highest priority tier of the job's partitions. Slurm looks at a waiting
// job of a higher one first, whatever the priorities are.
func (v *View) HighestTier(j *Job) int {
	tier := 0
	for p := range v.PartitionsOf(j) {
		tier = max(tier, p.PriorityTier)
	}
	return tier
}
