package place

import (
	"slices"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/pool"
)

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
