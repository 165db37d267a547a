package slurm

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"time"
)

// View is Slurm at one moment: everything a cycle needs, as values.
type View struct {
	Cluster            string    // Slurm's cluster name, "" on releases that do not say
	Release            string    // "22.05.8", "26.05.5"
	APIVersion         string    // "v0.0.45"
	At                 time.Time // the server's clock, read before anything else
	ReadAt             time.Time // our clock when At came in, zero when unknown
	ControllerStart    time.Time // when slurmctld started, zero when unknown; a change means a restart
	CanWriteSiteFactor bool      // site_factor can be written

	CanWriteAdminComment bool // admin_comment can be written, by Administrators
	RereadShowsNice      bool // RereadJob shows every job's nice, also where lists show it only above 0
	ControllerLoad       ControllerLoad
	IsFullRead           bool    // every record was read from a full list in this poll
	RereadJobs           []int64 // ids of the jobs whose records were read in this poll, sorted, where not all were
	Jobs                 []Job   // sorted by ID; finished ones included while Slurm lists them
	Nodes                []Node  // sorted by Name
	Partitions           []Partition
	Warnings             []string // Slurm's own, each a hint that our request was off

	// UnprovenClusterReason says why Cluster could not be proven to be the name of the cluster
	// that the view is of; "" when it was.
	UnprovenClusterReason string
	// StalePartitionsReason says why Partitions are those of an earlier poll; "" when they
	// are of this one.
	StalePartitionsReason string
	// UnreadSiteFactorsReason says why no job's site factor is known where they can be written;
	// "" when sprio was asked.
	UnreadSiteFactorsReason string
	// GoneJobs are ids of jobs that Slurm, asked about each, says it does not know:
	// the only proof that a job is gone. Sorted.
	GoneJobs []int64
	// IncompleteReason says why a list is known not to be whole; "" when nothing is known
	// against it.
	IncompleteReason string
	// Reservations, sorted by Name, are as of ReservationsAt (the server's clock); when
	// that is not At, StaleReservationsReason says why they could not be read.
	Reservations            []Reservation
	ReservationsAt          time.Time
	StaleReservationsReason string
	// Limits are those of associations and QOS; where they are not of the last minutes, UnreadLimitsReason says why
	// they could not be read.
	Limits             Limits
	UnreadLimitsReason string
}

// IsProvenGone reports whether Slurm said that it does not know the job.
func (v *View) IsProvenGone(id int64) bool {
	_, gone := slices.BinarySearch(v.GoneJobs, id)
	return gone
}

// IsFresh reports whether the record of the job was read in this poll.
func (v *View) IsFresh(id int64) bool {
	_, reread := slices.BinarySearch(v.RereadJobs, id)
	return v.IsFullRead || reread
}

// Partition returns the partition with the name, or nil.
func (v *View) Partition(name string) *Partition {
	at := slices.IndexFunc(v.Partitions, func(p Partition) bool { return p.Name == name })
	if at < 0 {
		return nil
	}
	return &v.Partitions[at]
}

// AddJobs adds records that the list left out.
func (v *View) AddJobs(jobs ...Job) {
	v.Jobs = append(v.Jobs, jobs...)
	slices.SortFunc(v.Jobs, func(a, b Job) int { return cmp.Compare(a.ID, b.ID) })
}

// AddGoneJobs adds ids to GoneJobs.
func (v *View) AddGoneJobs(ids ...int64) {
	v.GoneJobs = append(v.GoneJobs, ids...)
	slices.Sort(v.GoneJobs)
	v.GoneJobs = slices.Compact(v.GoneJobs)
}

// Node returns the record with the name, or nil.
func (v *View) Node(name string) *Node {
	i, ok := slices.BinarySearchFunc(v.Nodes, name, func(n Node, name string) int { return cmp.Compare(n.Name, name) })
	if !ok {
		return nil
	}
	return &v.Nodes[i]
}

// Job returns the record with the id, or nil.
func (v *View) Job(id int64) *Job {
	lo, hi := 0, len(v.Jobs)
	if hi > 0 { // ids are nearly dense, which leaves few places where it may be
		last := hi - 1
		if at := id - v.Jobs[0].ID; at >= 0 && at < int64(last) && v.Jobs[at].ID >= id {
			hi = int(at) + 1
		}
		if at := int64(last) - (v.Jobs[last].ID - id); at > 0 && at <= int64(last) && v.Jobs[at-1].ID < id {
			lo = int(at)
		}
	}
	for lo < hi {
		mid := (lo + hi) / 2
		if v.Jobs[mid].ID < id {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo < len(v.Jobs) && v.Jobs[lo].ID == id {
		return &v.Jobs[lo]
	}
	return nil
}

// CheckCluster returns an error when Slurm says that the view is of another
// cluster than the one of the name. A view that does not say is taken for its.
func (v *View) CheckCluster(name string) error {
	v.Cluster = cmp.Or(v.Cluster, name)
	if v.Cluster != name {
		return fmt.Errorf("slurmrestd speaks for cluster %q, the configuration for %q: correct slurm.url or cluster", v.Cluster, name)
	}
	return nil
}

// Limits are the limits that slurmctld holds associations and QOS to, with their usage at one moment. A cluster
// without accounting has none.
type Limits struct {
	Associations map[string][]AssociationLimits // by account: its own, and those of users in it
	QOS          []QOSLimits
}

// AssociationLimits are the limits of an account, or of a user in it. An association without a limit is listed as well.
type AssociationLimits struct {
	Account, User string // User "": the account itself; on 22.05 users may be numbers
	Partition     string // "": all
	Parent        string // of an account: the account above it; "" for root and for users
	Limits        []Limit
}

// QOSLimits are the limits of a QOS as a whole, and of the accounts and users that have jobs in it.
type QOSLimits struct {
	Name              string
	Limits            []Limit
	ByAccount, ByUser map[string][]Limit
}

// Limit is one limit, or the running minutes of a resource that a limit of another name counts as well.
type Limit struct {
	Name  string  // as scontrol writes it: GrpTRES, MaxJobsPU, GrpWall
	TRES  string  // the resource it counts, such as gres/gpu; "": jobs or time
	Most  float64 // jobs, minutes, or the unit of the resource; +Inf: no limit; NaN: it cannot be read
	Usage float64 // likewise; 0 where Slurm does not tell
}

// OfJob returns the limits that count for a job: of its association and the accounts above, and of the QOS
// named. ok is false if the cluster has associations and the job's is none of them, or has no such QOS.
func (l *Limits) OfJob(j *Job, qos ...string) (all []Limit, ok bool) {
	if len(l.Associations) == 0 {
		return nil, true
	}
	for _, a := range l.Associations[j.Account] {
		if isUser(j, a.User) && (a.Partition == "" || j.IsInPartition(a.Partition)) {
			all, ok = append(all, a.Limits...), true
		}
	}
	for account, steps := j.Account, 0; ok && account != "" && steps <= len(l.Associations); steps++ {
		var a AssociationLimits
		if a, ok = l.ofAccount(account); ok {
			all, account = append(all, a.Limits...), a.Parent
		}
	}
	for _, name := range qos {
		if of, known := l.ofQOS(j, name); ok && known {
			all = append(all, of...)
		} else {
			ok = false
		}
	}
	return all, ok
}

// ofAccount returns the association of an account itself.
func (l *Limits) ofAccount(name string) (AssociationLimits, bool) {
	for _, a := range l.Associations[name] {
		if a.User == "" {
			return a, true
		}
	}
	return AssociationLimits{}, false
}

// ofQOS returns the limits of a QOS that count for the job.
func (l *Limits) ofQOS(j *Job, name string) (all []Limit, ok bool) {
	if name == "" {
		return nil, true
	}
	at := slices.IndexFunc(l.QOS, func(q QOSLimits) bool { return q.Name == name })
	if at < 0 {
		return nil, false
	}
	q := &l.QOS[at]
	return slices.Concat(q.Limits, q.ByAccount[j.Account], q.ByUser[j.User], q.ByUser[userNumber(j)]), true
}

// isUser reports whether a user's name or number is that of the job's owner.
func isUser(j *Job, user string) bool { return user != "" && (user == j.User || user == userNumber(j)) }

// userNumber is how releases name a user of whom they keep no name.
func userNumber(j *Job) string { return strconv.FormatInt(j.UserID, 10) }

// Node is one node record of Slurm.
type Node struct {
	Name       string
	State      string   // base state, upper case: IDLE, MIXED, ALLOCATED, DOWN, …
	Flags      []string // DRAIN, NOT_RESPONDING, … sorted
	Reason     string
	Gres       GRESList // "gpu:a100:8(S:0-1)"
	GresUsed   GRESList // "gpu:a100:7(IDX:0-6)"
	TRES       TRES
	TRESUsed   TRES
	Features   []string // active
	Partitions []string
	CPUs       int
	CPUsUsed   int
	MemMB      int64
	MemUsedMB  int64
	Topology   string   // as REST has it, on some releases
	Switches   []string // from its lowest upwards, as scontrol shows the topology; nil: not known, or none
	Version    string   // slurmd's
}

// IsSchedulable reports whether new jobs can start there, and if not, why.
func (n *Node) IsSchedulable() (why string, ok bool) {
	switch n.State {
	case "IDLE", "MIXED", "ALLOCATED":
	default:
		return n.State, false
	}
	for _, f := range n.Flags {
		if unschedulableFlags[f] && !(f == "NOT_RESPONDING" && n.isBooting()) {
			return f, false
		}
	}
	return "", true
}

// unschedulableFlags are the flag words that keep new jobs from a node (26.05's
// enumeration; older releases use a subset). A node that Slurm has put to sleep
// (POWERED_DOWN) or is waking (POWERING_UP) is given to jobs like any other.
var unschedulableFlags = map[string]bool{
	"DRAIN": true, "FAIL": true, "MAINTENANCE": true, "NOT_RESPONDING": true,
	"REBOOT_REQUESTED": true, "REBOOT_ISSUED": true,
	"POWERING_DOWN": true, "POWER_DOWN": true,
	"INVALID_REG": true, "BLOCKED": true,
}

// IsAsleep reports whether Slurm has to wake the node, or is waking it, before a job runs there.
func (n *Node) IsAsleep() bool { return slices.Contains(n.Flags, "POWERED_DOWN") || n.isBooting() }

// isBooting reports whether Slurm is waking the node, which answers nothing meanwhile.
func (n *Node) isBooting() bool { return slices.Contains(n.Flags, "POWERING_UP") }
