package slurm

import (
	"cmp"
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strconv"
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

// Features are the constraint of a job, read once.
type Features struct {
	Text     string   // as Slurm writes it: "a100&ib", "[rack1|rack2]"
	Required []string // features that a node must have all, sorted; nil when the constraint says more
}

// ReadFeatures reads a constraint.
func ReadFeatures(text string) Features {
	if text == "" || strings.ContainsAny(text, "|[]()*!,") {
		return Features{Text: text}
	}
	all := strings.Split(text, "&")
	slices.Sort(all)
	return Features{Text: text, Required: slices.Compact(all)}
}

// IsPlainList reports whether the constraint is a list of features, all wanted, or
// none.
func (f Features) IsPlainList() bool { return f.Text == "" || f.Required != nil }

// Dependency is what a job waits for, read once.
type Dependency struct {
	Text string // as Slurm writes it: "afterok:12(unfulfilled),afterany:13_4"
	// JobIDs are the ids in it, each once. A task number may be taken for an id.
	JobIDs []int64
}

var dependencyIDPattern = regexp.MustCompile(`[:_,?]([0-9]+)`)

// ReadDependency reads a dependency.
func ReadDependency(text string) Dependency {
	d := Dependency{Text: text}
	if text == "" {
		return d
	}
	for _, m := range dependencyIDPattern.FindAllStringSubmatch(text, -1) {
		if id, err := strconv.ParseInt(m[1], 10, 64); err == nil && !slices.Contains(d.JobIDs, id) {
			d.JobIDs = append(d.JobIDs, id)
		}
	}
	return d
}
