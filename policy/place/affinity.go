// Package place chooses among the free devices: close together on the network
// (Consolidated), gangs of one size on servers of their own (GangSizeAffinity), or where the
// assignment of a job says (OnAssignedDevices), or spread over the emptiest nodes
// (EmptiestFirst), or on the node nearest to an ideal one (Nearest, as MLFS does).
//
// Gandiva places by GangSizeAffinity, Tiresias and Optimus by EmptiestFirst where they are to
// do as in the simulator of Pollux. Consolidated is for systems to come that place below
// one switch: HiveD's cells, and Synergy, which consolidates as well. OnAssignedDevices is for
// those that bind devices themselves: HiveD and Pollux.
package place

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/pool"
	"fairbridge/policy/scaling"
)

// GangSizeAffinity keeps gangs of one size together on servers of their own, so that
// wide ones find whole servers: first the least loaded server that hosts gangs
// of its size and has room, then an empty one, then any. A gang wider than
// every server goes where pool.Fit puts it. From Gandiva (W. Xiao et al., OSDI
// 2018), section 4.
type GangSizeAffinity struct{}

// Place implements engine.Placer.
func (GangSizeAffinity) Place(r *engine.Round, e *engine.Entry) (policy.Alloc, error) {
	gang := e.GangAsk()
	for _, gang.GPUs.Type = range r.FreePool.TypesFor(&gang) {
		rooms := slices.DeleteFunc(r.FreePool.ListRooms(e.Partition, gang), func(room pool.Room) bool { return room.DeviceCount < gang.GPUs.Count })
		hosts := gangSizeByNode(r, rooms)
		rank := func(room pool.Room) int {
			switch hosts[room.NodeName] {
			case gang.GPUs.Count:
				return 0
			case 0:
				return 1
			}
			return 2
		}
		slices.SortFunc(rooms, func(a, b pool.Room) int {
			return cmp.Or(cmp.Compare(rank(a), rank(b)), compareEmptiestFirst(a, b))
		})
		for _, room := range rooms {
			if on, err := pool.FitInRooms(r.FreePool, gang, []pool.Room{room}); err == nil {
				return on, nil
			}
		}
	}
	return pool.Fit(r.FreePool, e.Partition, e.GangAsk())
}

// TakesAnyRoom implements engine.FallbackPlacer.
func (GangSizeAffinity) TakesAnyRoom() bool { return true }

// gangSizeByNode returns the size of gang that the node of each room hosts, the widest if there are
// several, and 0 for none.
func gangSizeByNode(r *engine.Round, rooms []pool.Room) map[string]int {
	hosts := make(map[string]int, len(rooms))
	for _, room := range rooms {
		hosts[room.NodeName] = 0
	}
	if len(rooms) < 2 { // there is nothing to choose
		return hosts
	}
	for _, e := range r.Entries {
		for _, slot := range e.PlannedAlloc {
			if widest, ok := hosts[slot.Node]; ok {
				hosts[slot.Node] = max(widest, e.PlannedAlloc.Count())
			}
		}
	}
	return hosts
}

// compareEmptiestFirst puts required rooms first, then those with most devices, then by name.
func compareEmptiestFirst(a, b pool.Room) int {
	switch {
	case a.IsRequired && !b.IsRequired:
		return -1
	case b.IsRequired && !a.IsRequired:
		return 1
	}
	return cmp.Or(cmp.Compare(b.DeviceCount, a.DeviceCount), cmp.Compare(a.NodeName, b.NodeName))
}

// Consolidated keeps a gang below one leaf switch: the leaf where it needs the
// fewest nodes and, among those, the one with least left over; anywhere where there is none.
type Consolidated struct{}

// Place implements engine.Placer.
func (Consolidated) Place(r *engine.Round, e *engine.Entry) (policy.Alloc, error) {
	gang := e.GangAsk()
	for _, gang.GPUs.Type = range r.FreePool.TypesFor(&gang) {
		if on := fitBestLeaf(r.FreePool, gang, r.FreePool.ListRooms(e.Partition, gang)); on != nil {
			return on, nil
		}
	}
	return pool.Fit(r.FreePool, e.Partition, e.GangAsk())
}

// TakesAnyRoom implements engine.FallbackPlacer.
func (Consolidated) TakesAnyRoom() bool { return true }

// fitBestLeaf returns the best placement below one leaf, or nil. Nodes of unknown
// leaf are each a leaf of their own.
func fitBestLeaf(p *pool.Pool, gang policy.Ask, rooms []pool.Room) policy.Alloc {
	leaves := map[string][]pool.Room{}
	for _, room := range rooms {
		at := room.LeafSwitch
		if at == "" {
			at = "node " + room.NodeName
		}
		leaves[at] = append(leaves[at], room)
	}
	var best leafPlacement
	for _, leaf := range slices.Sorted(maps.Keys(leaves)) {
		if c, ok := fitLeaf(p, gang, leaves[leaf]); ok && (best.alloc == nil || c.compare(best) < 0) {
			best = c
		}
	}
	return best.alloc
}

type leafPlacement struct {
	alloc                  policy.Alloc
	nodeCount, devicesLeft int
}

func fitLeaf(p *pool.Pool, gang policy.Ask, rooms []pool.Room) (leafPlacement, bool) {
	free := 0
	for _, r := range rooms {
		free += r.DeviceCount
	}
	on, err := pool.FitInRooms(p, gang, rooms)
	return leafPlacement{on, len(on.Nodes()), free - gang.GPUs.Count}, err == nil
}

func (c leafPlacement) compare(d leafPlacement) int {
	return cmp.Or(cmp.Compare(c.nodeCount, d.nodeCount), cmp.Compare(c.devicesLeft, d.devicesLeft))
}

// BySpread keeps a gang that is slowed by being spread on as few nodes as can hold it, and lets it
// wait for them; other gangs go anywhere, into the smallest gaps first, which leaves whole nodes to
// those that need them. So does Tiresias (J. Gu et al., NSDI 2019) with models whose largest
// tensors are skewed; here it is what the job was measured to lose (policy.Scaling.SpreadSpeed).
type BySpread struct {
	LeastSpeed float64 // spread, a gang slower than this part of its speed is kept together
}

// Place implements engine.Placer.
func (b BySpread) Place(r *engine.Round, e *engine.Entry) (policy.Alloc, error) {
	gang := e.GangAsk()
	speed := spreadSpeed(e)
	switch {
	case speed > 0 && speed < b.LeastSpeed:
		on, err := pool.Fit(r.FreePool, e.Partition, gang)
		if err == nil && len(on.Nodes()) > scaling.FewestNodes(r.Nodes, on.FirstType(), gang.GPUs.Count) {
			return nil, fmt.Errorf("needs %v on as few nodes as can be, since it has %.2g of its speed on %v", gang.GPUs, speed, on)
		}
		return on, err
	case gang.PerNode > 0 || gang.MinNodes > 1 || gang.MaxNodes > 0 || len(gang.RequiredNodes) > 0:
		return pool.Fit(r.FreePool, e.Partition, gang)
	}
	for _, gang.GPUs.Type = range r.FreePool.TypesFor(&gang) {
		if on := fillSmallest(r.FreePool, gang, r.FreePool.ListRooms(e.Partition, gang)); on != nil {
			return on, nil
		}
	}
	return pool.Fit(r.FreePool, e.Partition, e.GangAsk())
}

// spreadSpeed is the job's speed spread over more nodes than it needs, relative to that on as few as
// can be; 0: not known.
func spreadSpeed(e *engine.Entry) float64 {
	if e.Scaling == nil || e.WantedDeviceCount < 2 {
		return 0
	}
	return e.Scaling.SpreadSpeed
}

// fillSmallest fills the rooms with the fewest devices first; nil: they have too few.
func fillSmallest(p *pool.Pool, gang policy.Ask, rooms []pool.Room) policy.Alloc {
	slices.SortStableFunc(rooms, func(a, b pool.Room) int { return cmp.Compare(a.DeviceCount, b.DeviceCount) })
	missing := gang.GPUs.Count
	var counts []int
	for i := 0; i < len(rooms) && missing > 0; i++ {
		counts = append(counts, min(rooms[i].DeviceCount, missing))
		missing -= counts[i]
	}
	if missing > 0 || len(counts) == 0 {
		return nil
	}
	return p.AllocFromRooms(gang.GPUs.Type, rooms[:len(counts)], counts)
}

// EmptiestFirst fills the node with the most free devices first, then the next, so that gangs
// spread over the cluster instead of filling gaps. The policies in the simulator of Pollux (A.
// Qiao et al., OSDI 2021) place so. An ask for certain nodes, or so many on each, goes where
// pool.Fit puts it.
type EmptiestFirst struct{}

// Place implements engine.Placer.
func (EmptiestFirst) Place(r *engine.Round, e *engine.Entry) (policy.Alloc, error) {
	gang := e.GangAsk()
	if gang.PerNode > 0 || gang.MinNodes > 1 || gang.MaxNodes > 0 || len(gang.RequiredNodes) > 0 {
		return pool.Fit(r.FreePool, e.Partition, gang)
	}
	for _, gang.GPUs.Type = range r.FreePool.TypesFor(&gang) {
		rooms := r.FreePool.ListRooms(e.Partition, gang)
		slices.SortFunc(rooms, compareEmptiestFirst)
		missing := gang.GPUs.Count
		var counts []int
		for i := 0; i < len(rooms) && missing > 0; i++ {
			counts = append(counts, min(rooms[i].DeviceCount, missing))
			missing -= counts[i]
		}
		if missing == 0 {
			return r.FreePool.AllocFromRooms(gang.GPUs.Type, rooms[:len(counts)], counts), nil
		}
	}
	return pool.Fit(r.FreePool, e.Partition, e.GangAsk())
}

// OnAssignedDevices puts a gang on the very devices that its assignment names, or nowhere, and
// one whose assignment names none where pool.Fit does.
type OnAssignedDevices struct{}

// Place implements engine.Placer.
func (OnAssignedDevices) Place(r *engine.Round, e *engine.Entry) (policy.Alloc, error) {
	gang := e.GangAsk()
	if len(e.WantedAlloc) == 0 {
		return pool.Fit(r.FreePool, e.Partition, gang)
	}
	if !pool.AllowsAlloc(r.FreePool, e.WantedAlloc, e.Partition, gang) {
		return nil, fmt.Errorf("was allocated %v, which it may not use", e.WantedAlloc)
	}
	mark := r.FreePool.UndoMark()
	defer r.FreePool.Rewind(mark)
	if err := r.FreePool.Take(e.WantedAlloc, gang.CPUs, gang.MemMB); err != nil {
		return nil, fmt.Errorf("was allocated %v: %w", e.WantedAlloc, err)
	}
	return e.WantedAlloc, nil
}
