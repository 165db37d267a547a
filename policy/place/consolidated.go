package place

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/pool"
)

// Consolidated keeps a gang below one leaf switch: the leaf where it needs the
// fewest nodes and, among those, the one with least left over. Jeon et al.,
// "Analysis of large-scale multi-tenant GPU clusters", ATC 2019, found that
// jobs are better off waiting for locality for a while.
type Consolidated struct {
	Patience time.Duration // how long a job waits for one leaf before it is placed anywhere; 0: not at all
}

// Place implements engine.Placer.
func (c Consolidated) Place(r *engine.Round, e *engine.Entry) (policy.Alloc, error) {
	gang := e.GangAsk()
	for _, gang.GPUs.Type = range r.FreePool.TypesFor(&gang) {
		if on := fitBestLeaf(r.FreePool, gang, r.FreePool.ListRooms(e.Partition, gang)); on != nil {
			return on, nil
		}
	}
	on, err := pool.Fit(r.FreePool, e.Partition, e.GangAsk())
	if err == nil && c.Patience > 0 && e.Waited(r.Now) < c.Patience {
		return nil, fmt.Errorf("needs %v below one switch, and waits %s for that before it takes %v", e.GangAsk().GPUs, policy.FormatDuration(c.Patience), on)
	}
	return on, err
}

// TakesAnyRoom implements engine.FallbackPlacer.
func (c Consolidated) TakesAnyRoom() bool { return c.Patience <= 0 }

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
