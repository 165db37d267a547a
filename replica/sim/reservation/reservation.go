// Package reservation is the nodes of a simulated cluster that are set aside for
// a time: which jobs they are closed to, and what Slurm shows of them.
package reservation

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"fairbridge/bridge/slurm"
	"fairbridge/replica/sim/inventory"
)

// Reservation sets whole nodes aside, for maintenance or for jobs that name it.
// Other jobs start there only if their limit ends before.
type Reservation struct {
	Name  string
	Nodes []string // none: all
	From  time.Time
	To    time.Time // zero: without end
	Flags []string  // MAINT, DAILY, … as scontrol takes them
	Users []string  // who may use it; for people to see
}

// Entry is a Reservation with its nodes.
type Entry struct {
	Reservation
	Nodes []*inventory.Node
}

// Book is all reservations of a cluster, by name.
type Book []*Entry

// Job is what the Book wants to know of a job.
type Job struct {
	Reservation   string   // its own; "": none
	RequiredNodes []string // nodes it must have
}

// Add makes a reservation of nodes.
func (b *Book) Add(r Reservation, nodes []*inventory.Node) *Entry {
	e := &Entry{Reservation: r, Nodes: nodes}
	*b = append(*b, e)
	slices.SortFunc(*b, func(x, y *Entry) int { return cmp.Compare(x.Name, y.Name) })
	return e
}

// Remove ends a reservation, if there is one of the name.
func (b *Book) Remove(name string) {
	*b = slices.DeleteFunc(*b, func(e *Entry) bool { return e.Name == name })
}

// EndEntry ends a reservation whose time is over; one that recurs moves on to its
// next time. ended is false where it was removed, or its end is still to come.
func (b *Book) EndEntry(e *Entry, now time.Time) (ended, recurs bool) {
	if !slices.Contains(*b, e) || e.To.After(now) {
		return false, false
	}
	shown := e.AsSlurm()
	from, to, recurs := shown.NextOccurrence(e.From, e.To)
	if recurs {
		e.From, e.To = from, to
	} else {
		*b = slices.DeleteFunc(*b, func(x *Entry) bool { return x == e })
	}
	return true, recurs
}

// findBlockingEntry returns the reservation that keeps a job off a node from one moment to
// another; nil: none.
func (b Book) findBlockingEntry(n *inventory.Node, j Job, from, to time.Time) *Entry {
	for _, e := range b {
		if e.Name != j.Reservation && slices.Contains(e.Nodes, n) && e.From.Before(to) && (e.To.IsZero() || e.To.After(from)) {
			return e
		}
	}
	return nil
}

// FilterOpenNodes returns those of the partition's nodes in the list that no reservation
// keeps a job off that would run from one moment to another. ok is false, with
// Slurm's reason, when a node it requires is none of them, or a maintenance
// takes the whole partition.
func (b Book) FilterOpenNodes(j Job, p *inventory.Partition, list []*inventory.Node, from, to time.Time) (open []*inventory.Node, reason string, ok bool) {
	if len(b) == 0 {
		return list, "", true
	}
	for _, n := range list {
		e := b.findBlockingEntry(n, j, from, to)
		switch {
		case e == nil:
			open = append(open, n)
		case slices.Contains(j.RequiredNodes, n.Name), slices.Contains(e.Flags, "MAINT") && len(e.Nodes) >= len(p.Nodes):
			return nil, "ReqNodeNotAvail", false
		}
	}
	return open, "", true
}

// KeepOwnNodes leaves the nodes of the job's own reservation in the list; all, if it
// names none.
func (b Book) KeepOwnNodes(j Job, list []*inventory.Node) []*inventory.Node {
	if j.Reservation == "" {
		return list
	}
	i := slices.IndexFunc(b, func(e *Entry) bool { return e.Name == j.Reservation })
	return slices.DeleteFunc(list, func(n *inventory.Node) bool { return i < 0 || !slices.Contains(b[i].Nodes, n) })
}

// IsUpcoming reports whether a reservation of the name is still to begin.
func (b Book) IsUpcoming(name string, now time.Time) bool {
	return slices.ContainsFunc(b, func(e *Entry) bool { return e.Name == name && e.From.After(now) })
}

// NodeFlag returns the word Slurm shows of a node that is set aside now; "" for
// others.
func (b Book) NodeFlag(n *inventory.Node, now time.Time) string {
	flag := ""
	for _, e := range b {
		if slices.Contains(e.Nodes, n) && !e.From.After(now) {
			if slices.Contains(e.Flags, "MAINT") {
				return "MAINTENANCE"
			}
			flag = "RESERVED"
		}
	}
	return flag
}

// AsSlurm returns every reservation as Slurm shows it, by name.
func (b Book) AsSlurm() []slurm.Reservation {
	out := make([]slurm.Reservation, len(b))
	for i, e := range b {
		out[i] = e.AsSlurm()
	}
	return out
}

// AsSlurm returns the reservation as Slurm shows it.
func (e *Entry) AsSlurm() slurm.Reservation {
	cpus := 0
	for _, n := range e.Nodes {
		cpus += n.CPUs
	}
	flags := slices.Clone(e.Flags)
	slices.Sort(flags)
	return slurm.Reservation{
		Name: e.Name, Nodes: slurm.HostsFromNames(inventory.NodeNames(e.Nodes)), Start: e.From.Truncate(time.Second), End: e.To.Truncate(time.Second),
		Flags: flags, CoreCount: cpus, NodeCount: len(e.Nodes), TRES: slurm.ReadTRES("cpu=" + strconv.Itoa(cpus)), Users: slices.Clone(e.Users),
	}
}
