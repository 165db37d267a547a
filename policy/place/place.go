// Package place chooses among the free devices: tightest (Pack), emptiest
// (Spread) or close together on the network (Consolidated).
package place

import (
	"cmp"
	"slices"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/pool"
)

// Pack puts a gang on the fewest nodes, and there where least is left over, so
// that whole nodes stay free for wide jobs. It is what a nil stage does.
type Pack struct{}

// Place implements engine.Placer.
func (Pack) Place(r *engine.Round, e *engine.Entry) (policy.Alloc, error) {
	return pool.Fit(r.Free, e.Partition, e.Gang())
}

// Spread puts a gang on the fewest nodes too, but on the emptiest ones, so that
// jobs disturb each other least.
type Spread struct{}

// Place implements engine.Placer.
func (Spread) Place(r *engine.Round, e *engine.Entry) (policy.Alloc, error) {
	tight, err := pool.Fit(r.Free, e.Partition, e.Gang())
	if err != nil {
		return nil, err
	}
	gang := e.Gang()
	for _, gang.GPUs.Type = range r.Free.TypesFor(&gang) {
		rooms := r.Free.Rooms(e.Partition, gang)
		slices.SortFunc(rooms, emptiest)
		rooms = rooms[:min(len(rooms), len(tight.Nodes()))]
		if on, err := pool.FitRooms(r.Free, gang, rooms); err == nil {
			return on, nil
		}
	}
	return tight, nil
}

func emptiest(a, b pool.Room) int {
	switch {
	case a.Required && !b.Required:
		return -1
	case b.Required && !a.Required:
		return 1
	}
	return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Node, b.Node))
}
