package place

import (
	"cmp"
	"slices"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/pool"
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
