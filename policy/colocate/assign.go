package colocate

import (
	"slices"

	"fairbridge/policy/engine"
)

// Hosts are, by Entry.Index, the jobs on whose GPUs others are put: a job itself where it has some of its own;
// nil: it is in no pack.
type Hosts []*engine.Entry

// HostsOf returns the hosts of packs. In each one job holds the lease, one that runs where there is one;
// the others go with it.
func HostsOf(r *engine.Round, packs [][]*engine.Entry) Hosts {
	hosts := make(Hosts, len(r.Entries))
	for _, p := range packs {
		host := p[max(slices.IndexFunc(p, (*engine.Entry).HoldsGPUs), 0)]
		for _, e := range p {
			hosts[e.Index] = host
		}
	}
	return hosts
}

// Assign returns the assignments of the line: hosts hold leases, and the others of their packs are put
// beside them. The notes of the entries are theirs.
func (h Hosts) Assign(line []*engine.Entry) []engine.Assignment {
	assignments := make([]engine.Assignment, len(line))
	for i, e := range line {
		t := e.AssignmentWithoutLease()
		switch host := h[e.Index]; {
		case host == e:
			t.Grant.HasLease = true
		case host != nil:
			t.BesideJob, t.Grant.MayRunWithoutLease = host.ID, true
		}
		assignments[i] = t
	}
	return assignments
}
