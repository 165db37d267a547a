// Package colocate says which jobs run on the same GPUs. A Model says how fast jobs go beside each
// other, Accepts whether they may, ChoosePacks which of them do so that what is done is worth the
// most, and Assign makes assignments of that. Policies that choose packs in another way use the rest.
package colocate

import (
	"cmp"
	"fmt"
	"slices"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/pool"
)

// nodeType is the devices of a type on a node.
type nodeType struct{ node, gpuType string }

// regrouping finds devices for packs anew, as if no job that may be stopped had any.
type regrouping struct {
	*engine.Round
	free *pool.Pool
	used map[nodeType]policy.DeviceSet
	by   map[nodeType][]*engine.Entry // of packs that were given devices there: their hosts
}

// MayRegroup reports whether it is known of all running jobs which devices they have.
func MayRegroup(r *engine.Round) bool {
	return !slices.ContainsFunc(r.RunningEntries(), func(e *engine.Entry) bool {
		return slices.ContainsFunc(e.On, func(s policy.Slot) bool { return s.Devices.Count() != s.Count })
	})
}

// AssignAnew is Assign where jobs that run may change places: it says which devices each pack has, the widest
// packs first, those where one of their jobs is already if they can be had. A job that runs, is in no
// pack that found devices, and whose devices go to others has to leave them.
func AssignAnew(r *engine.Round, line []*engine.Entry, packs [][]*engine.Entry) []engine.Assignment {
	g := regrouping{r, r.FreePool.Clone(), map[nodeType]policy.DeviceSet{}, map[nodeType][]*engine.Entry{}}
	for _, e := range r.RunningEntries() {
		if e.IsUnstoppable {
			g.use(e.On, e)
			continue
		}
		pool.GiveBackHeld(g.free, e.Job)
	}
	turn := make([]int, len(r.Entries))
	for i, e := range line {
		turn[e.Index] = i
	}
	packs = slices.Clone(packs)
	for _, p := range packs { // whose turn is first has the devices first, and the others of its pack join it
		slices.SortFunc(p, func(a, b *engine.Entry) int { return cmp.Compare(turn[a.Index], turn[b.Index]) })
	}
	slices.SortStableFunc(packs, func(a, b []*engine.Entry) int { return cmp.Compare(b[0].DeviceCount(), a[0].DeviceCount()) })
	hosts, allocs := make(Hosts, len(r.Entries)), make([]policy.Alloc, len(r.Entries))
	for _, p := range packs {
		host, on := g.place(p)
		for _, e := range p {
			if len(on) > 0 {
				hosts[e.Index], allocs[e.Index] = host, on
			}
		}
	}
	assignments := hosts.Assign(line)
	for i := range assignments {
		g.send(&assignments[i], hosts, allocs[assignments[i].Entry.Index])
	}
	return assignments
}

// send completes the assignment of one job.
func (g *regrouping) send(t *engine.Assignment, hosts Hosts, on policy.Alloc) {
	e := t.Entry
	switch runs := e.HoldsGPUs(); {
	case e.IsUnstoppable:
	case runs && len(on) == 0:
		if taker := g.takerOf(e.On); taker != nil {
			t.Grant.StopReason = fmt.Sprintf("they go to job %s", taker.Label())
		}
	case runs && !e.On.Equal(on):
		t.Alloc, t.Grant.HasLease = on, true
	case !runs && hosts[e.Index] == e:
		t.Alloc = on
	}
}

// place finds devices for a pack, and says which of its jobs has them first. nil: there are none.
func (g *regrouping) place(p []*engine.Entry) (host *engine.Entry, on policy.Alloc) {
	for _, e := range p {
		if e.IsUnstoppable {
			return e, e.On
		}
	}
	for _, e := range p {
		if e.HoldsGPUs() && g.take(e, e.On) {
			return e, e.On
		}
	}
	on, err := pool.Fit(g.free, p[0].Partition, p[0].GangAsk())
	if err != nil {
		return nil, nil
	}
	on = slices.Clone(on)
	for i := range on {
		on[i].Devices = g.unused(on[i])
	}
	if !g.take(p[0], on) {
		return nil, nil
	}
	return p[0], on
}

// take takes the devices for a pack; it reports whether they were there.
func (g *regrouping) take(e *engine.Entry, on policy.Alloc) bool {
	a := e.GangAsk()
	if g.takerOf(on) != nil || g.free.Take(on, a.CPUs, a.MemMB) != nil {
		return false
	}
	g.use(on, e)
	return true
}

func (g *regrouping) use(on policy.Alloc, e *engine.Entry) {
	for _, s := range on {
		at := nodeType{s.Node, s.Type}
		g.used[at], g.by[at] = g.used[at]|s.Devices, append(g.by[at], e)
	}
}

// takerOf returns a job whose pack has some of the devices; nil: none has.
func (g *regrouping) takerOf(on policy.Alloc) *engine.Entry {
	for _, s := range on {
		if at := (nodeType{s.Node, s.Type}); g.used[at]&s.Devices != 0 {
			return g.by[at][0]
		}
	}
	return nil
}

// unused are as many devices as the slot has that no pack has; fewer where there are not as many.
func (g *regrouping) unused(s policy.Slot) policy.DeviceSet {
	var free []int
	used, n := g.used[nodeType{s.Node, s.Type}], g.Node(s.Node)
	for _, d := range n.GPUs {
		for i := 0; d.Type == s.Type && i < d.Count && len(free) < s.Count; i++ {
			if !used.Has(i) {
				free = append(free, i)
			}
		}
	}
	return policy.NewDeviceSet(free...)
}

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
