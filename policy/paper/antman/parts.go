package antman

import (
	"fmt"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/pool"
)

// keepsParts is an engine.Backfiller: what is free of the GPUs that a blocked guaranteed job waits for
// is kept for it against other guaranteed jobs. Opportunistic ones may have it until the rest is free.
type keepsParts struct{ *classes }

// NewPassCheck implements engine.Backfiller.
func (k keepsParts) NewPassCheck(r *engine.Round, blocked *engine.Entry) func(*engine.Entry, policy.Alloc) error {
	kept := map[string]int{}
	if !k.isOpportunistic(blocked) {
		kept = partsFor(r, blocked)
	}
	gang := blocked.GangAsk()
	return func(e *engine.Entry, on policy.Alloc) error {
		if k.isOpportunistic(e) {
			return nil
		}
		for _, s := range on {
			if n := kept[s.Node]; n > 0 && (gang.GPUs.Type == "" || gang.GPUs.Type == s.Type) && r.FreePool.FreeOnNode(s.Node, gang.GPUs.Type)-s.Count < n {
				return fmt.Errorf("%s of node %s are kept for job %s, which waits for more: %w", policy.FormatCount(n, "free GPU"), s.Node, blocked.Label(), engine.ErrReservedNodes)
			}
		}
		return nil
	}
}

// partsFor returns how many free devices are kept for a job, by node: on the node with most if it must be
// on one, else on those with most until there are as many as it asks.
func partsFor(r *engine.Round, e *engine.Entry) map[string]int {
	gang, kept := e.GangAsk(), map[string]int{}
	missing := gang.GPUs.Count
	for missing > 0 {
		best := pool.Room{}
		for _, room := range r.FreePool.ListRooms(e.Partition, gang) {
			if kept[room.NodeName] == 0 && room.DeviceCount > best.DeviceCount {
				best = room
			}
		}
		if best.DeviceCount == 0 {
			break
		}
		kept[best.NodeName] = min(best.DeviceCount, missing)
		if missing -= kept[best.NodeName]; gang.MaxNodes == 1 {
			break
		}
	}
	return kept
}
