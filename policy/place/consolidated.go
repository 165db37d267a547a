package place

import (
	"cmp"
	"maps"
	"slices"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/pool"
)

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
