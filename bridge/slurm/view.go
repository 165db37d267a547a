package slurm

import (
	"cmp"
	"fmt"
	"slices"
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
