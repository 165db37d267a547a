package place

import (
	"cmp"
	"slices"

	"fairbridge/policy"
)

// Affinity keeps gangs of one size together on servers of their own, so that
// wide ones find whole servers: first the least loaded server that hosts gangs
// of its size and has room, then an empty one, then any. A gang wider than
// every server goes where Pack puts it. From Gandiva (W. Xiao et al., OSDI
// 2018), section 4.
type Affinity struct{}

// Place implements policy.Placer.
func (Affinity) Place(r *policy.Round, e *policy.Entry) (policy.Alloc, error) {
	gang := e.Gang()
	hosts := hosting(r)
	for _, gang.GPUs.Type = range r.Free.Models(&gang) {
		rooms := slices.DeleteFunc(r.Free.Rooms(e.Partition, gang), func(room policy.Room) bool { return room.Count < gang.GPUs.Count })
		rank := func(room policy.Room) int {
			switch hosts[room.Node] {
			case gang.GPUs.Count:
				return 0
			case 0:
				return 1
			}
			return 2
		}
		slices.SortFunc(rooms, func(a, b policy.Room) int {
			return cmp.Or(cmp.Compare(rank(a), rank(b)), emptiest(a, b))
		})
		for _, room := range rooms {
			if on, err := policy.FitRooms(r.Free, gang, []policy.Room{room}); err == nil {
				return on, nil
			}
		}
	}
	return policy.Fit(r.Free, e.Partition, e.Gang())
}

// hosting returns the size of gang each node hosts, the widest if there are
// several; nodes that host nobody are absent.
func hosting(r *policy.Round) map[string]int {
	hosts := map[string]int{}
	for _, e := range r.Entries {
		for _, slot := range e.Got {
			hosts[slot.Node] = max(hosts[slot.Node], e.Got.Count())
		}
	}
	return hosts
}
