package place

import (
	"math"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/pool"
)

// Nearest puts a gang that fits one node on the node nearest to an ideal one, which has of GPUs, cores and
// memory the least in use that any with room has; other gangs where pool.Fit does. Nodes of which it would use too
// much are taken only where there is no other. So does MLFS (H. Wang et al., CoNEXT 2020). Use a new one for
// each decision.
type Nearest struct {
	MostUsed float64 // part of a node's cores and memory beyond which it is used too much
	use      map[string]*nodeUse
}

// nodeUse is what is in use of a node.
type nodeUse struct {
	*policy.Node
	gpus, cpus, memMB float64
}

// load is the part of GPUs, cores and memory in use; measured utilisation counts where it is known.
type load [3]float64

// Place implements engine.Placer.
func (n *Nearest) Place(r *engine.Round, e *engine.Entry) (policy.Alloc, error) {
	if n.use == nil {
		n.countUse(r)
	}
	gang := e.GangAsk()
	on, err := pool.Fit(r.FreePool, e.Partition, gang)
	if err != nil {
		return nil, err
	}
	if len(on.Nodes()) == 1 && len(gang.RequiredNodes) == 0 {
		one := gang
		one.GPUs.Type = on.FirstType()
		on = n.nearest(r, e.Partition, one, on)
	}
	n.add(on, e)
	return on, nil
}

func (n *Nearest) countUse(r *engine.Round) {
	n.use = make(map[string]*nodeUse, len(r.Nodes))
	for i := range r.Nodes {
		n.use[r.Nodes[i].Name] = &nodeUse{Node: &r.Nodes[i]}
	}
	for _, e := range r.RunningEntries() {
		n.add(e.On, e)
	}
}

// add counts what a job uses, or will, on its nodes.
func (n *Nearest) add(on policy.Alloc, e *engine.Entry) {
	all := float64(on.Count())
	for _, slot := range on {
		if u := n.use[slot.Node]; u != nil {
			part := float64(slot.Count) / all
			u.gpus += policy.GPUs{Count: slot.Count, PartPercent: e.Ask.GPUs.PartPercent}.WholeGPUs()
			u.cpus, u.memMB = u.cpus+part*float64(e.Ask.CPUs), u.memMB+part*float64(e.Ask.MemMB)
		}
	}
}

// load returns the parts in use with so many GPUs, cores and megabytes more.
func (u *nodeUse) load(gpus, cpus, memMB float64) load {
	part := func(used, all float64) float64 {
		if all <= 0 {
			return 0
		}
		return used / all
	}
	l := load{part(u.gpus+gpus, u.WholeGPUs()), part(u.cpus+cpus, float64(u.CPUs)), part(u.memMB+memMB, float64(u.MemMB))}
	for _, d := range u.GPUs {
		if d.Utilisation.Known {
			l[0] = max(l[0], d.Utilisation.Value)
		}
	}
	return l
}

// nearest returns the place on the node nearest to the ideal one, else the given one.
func (n *Nearest) nearest(r *engine.Round, partition string, gang policy.Ask, otherwise policy.Alloc) policy.Alloc {
	var rooms []pool.Room
	var loads []load
	gpus, cpus, memMB := gang.GPUs.WholeGPUs(), float64(gang.CPUs), float64(gang.MemMB)
	for _, room := range r.FreePool.ListRooms(partition, gang) {
		u := n.use[room.NodeName]
		after := u.load(gpus, cpus, memMB)
		if room.DeviceCount >= gang.GPUs.Count && max(after[1], after[2]) <= n.MostUsed {
			rooms, loads = append(rooms, room), append(loads, u.load(0, 0, 0))
		}
	}
	if best := nearestToIdeal(loads); best >= 0 {
		return r.FreePool.AllocFromRooms(gang.GPUs.Type, rooms[best:best+1], []int{gang.GPUs.Count})
	}
	return otherwise
}

// nearestToIdeal returns the load nearest to one of which each part is the least of all, the first of
// several; -1: there is none.
func nearestToIdeal(loads []load) int {
	best, least := -1, math.Inf(1)
	ideal := load{math.Inf(1), math.Inf(1), math.Inf(1)}
	for _, l := range loads {
		for k := range l {
			ideal[k] = min(ideal[k], l[k])
		}
	}
	for i, l := range loads {
		sum := 0.0
		for k := range l {
			sum += (l[k] - ideal[k]) * (l[k] - ideal[k])
		}
		if sum < least {
			best, least = i, sum
		}
	}
	return best
}
