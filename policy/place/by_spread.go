package place

import (
	"cmp"
	"fmt"
	"slices"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/pool"
	"fairbridge/policy/scaling"
)

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
