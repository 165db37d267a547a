package harmony

import (
	"cmp"
	"slices"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/pool"
)

// mostPlaces is how many places of a job are weighed: those with the least loss of its own.
const mostPlaces = 24

// place is where a job could go.
type place struct {
	on   policy.Alloc
	loss float64 // of the job itself there, as -ln of its speed
	left int     // devices left on the nodes
}

// listPlaces returns where a job could go now, on the first GPU type that has room: each node that holds it, and
// of several nodes together those with the least loss, the fewest, and the emptiest. First is where it loses least
// and leaves the fewest devices.
func (l *layout) listPlaces(r *engine.Round, x *resident, e *engine.Entry) []place {
	gang := x.gang(e)
	for _, gang.GPUs.Type = range r.FreePool.TypesFor(&gang) {
		if all := l.placesOfType(r, x, e.Partition, gang); len(all) > 0 {
			slices.SortStableFunc(all, func(a, b place) int { return cmp.Or(cmp.Compare(a.loss, b.loss), cmp.Compare(a.left, b.left)) })
			return all[:min(len(all), mostPlaces)]
		}
	}
	return nil
}

func (l *layout) placesOfType(r *engine.Round, x *resident, partition string, gang policy.Ask) []place {
	rooms := r.FreePool.ListRooms(partition, gang)
	var all []place
	if gang.PerNode == 0 && gang.MinNodes <= 1 || gang.PerNode == gang.GPUs.Count {
		for _, room := range rooms {
			if room.DeviceCount >= gang.GPUs.Count {
				all = l.appendPlace(all, r, x, gang, []pool.Room{room})
			}
		}
	}
	if len(all) > 0 || gang.MaxNodes == 1 {
		return all
	}
	all = l.appendPlace(all, r, x, gang, slices.Clone(rooms)) // the fewest nodes
	slices.SortStableFunc(rooms, func(a, b pool.Room) int { return cmp.Compare(b.DeviceCount, a.DeviceCount) })
	all = l.appendFirst(all, r, x, gang, rooms) // the emptiest
	slices.SortStableFunc(rooms, func(a, b pool.Room) int {
		return cmp.Compare(l.lossOn(x.class, l.nodeIndex[a.NodeName], 0), l.lossOn(x.class, l.nodeIndex[b.NodeName], 0))
	})
	return l.appendFirst(all, r, x, gang, rooms) // the least loss
}

// appendFirst adds a place in as few of the first rooms as hold the gang.
func (l *layout) appendFirst(all []place, r *engine.Round, x *resident, gang policy.Ask, rooms []pool.Room) []place {
	devices := 0
	for n, room := range rooms {
		if devices += room.DeviceCount; devices < gang.GPUs.Count {
			continue
		}
		if more := l.appendPlace(all, r, x, gang, slices.Clone(rooms[:n+1])); len(more) > len(all) {
			return more
		}
	}
	return all
}

// appendPlace adds the place in the rooms, if there is one and it is new.
func (l *layout) appendPlace(all []place, r *engine.Round, x *resident, gang policy.Ask, rooms []pool.Room) []place {
	left := -gang.GPUs.Count
	for _, room := range rooms {
		left += room.DeviceCount
	}
	on, err := pool.FitInRooms(r.FreePool, gang, rooms)
	if err != nil || len(rooms) > 1 && slices.ContainsFunc(all, func(p place) bool { return p.on.Equal(on) }) {
		return all
	}
	nodes := on.Nodes()
	p := place{on: on, left: left, loss: x.lossBySpread(max(len(nodes)-l.fewestNodes(on.FirstType(), on.Count()), 0))}
	most := 0.0
	for _, name := range nodes {
		most = max(most, l.lossOn(x.class, l.nodeIndex[name], 0))
	}
	p.loss += most
	return append(all, p)
}
