package sharing

import (
	"fmt"
	"slices"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/backfill"
	"fairbridge/policy/engine"
	"fairbridge/policy/place"
	"fairbridge/policy/pool"
	"fairbridge/policy/preempt"
)

// countQuota serves each account strictly by arrival up to a number of GPUs, wherever the placer says:
// what cells are compared with.
type countQuota struct {
	gpus int
	engine.Placer
}

// bestFit is the fewest nodes, and of those the fullest.
type bestFit struct{}

// Place implements engine.Placer.
func (bestFit) Place(r *engine.Round, e *engine.Entry) (policy.Alloc, error) {
	return pool.Fit(r.FreePool, e.Partition, e.GangAsk())
}

// emptiestNode is the node with the most free GPUs for a job of one node, which balances load as
// schedulers do that do not think of gangs.
type emptiestNode struct{}

// Place implements engine.Placer.
func (emptiestNode) Place(r *engine.Round, e *engine.Entry) (policy.Alloc, error) {
	gang := e.GangAsk()
	gang.GPUs.Type = r.FreePool.TypesFor(&gang)[0]
	rooms := r.FreePool.ListRooms(e.Partition, gang)
	if len(rooms) == 0 || gang.MinNodes > 1 {
		return pool.Fit(r.FreePool, e.Partition, gang)
	}
	room := slices.MaxFunc(rooms, func(a, b pool.Room) int { return a.DeviceCount - b.DeviceCount })
	if room.DeviceCount < gang.GPUs.Count {
		return pool.Fit(r.FreePool, e.Partition, gang)
	}
	return r.FreePool.AllocFromRooms(gang.GPUs.Type, []pool.Room{room}, []int{gang.GPUs.Count}), nil
}

func newCountQuota(gpus int, placer engine.Placer) policy.Policy {
	c := &countQuota{gpus, placer}
	return engine.Pipeline{Name: "count quota", Allocate: c, Place: c, Backfill: backfill.Greedy{}, Preempt: preempt.NoPreemption, Rules: engine.Rules{MaxWait: -time.Second}}
}

// Allocate implements engine.Allocator.
func (c *countQuota) Allocate(r *engine.Round) ([]engine.Assignment, error) {
	line := slices.Clone(r.Entries)
	slices.SortFunc(line, engine.CompareArrival)
	held, blocked := map[string]int{}, map[string]bool{}
	for _, e := range r.RunningEntries() {
		held[e.Account] += e.On.Count()
	}
	mark := r.FreePool.UndoMark()
	defer r.FreePool.Rewind(mark)
	var out []engine.Assignment
	for _, e := range line {
		a := e.AssignmentWithoutLease()
		if !e.HoldsGPUs() && !blocked[e.Account] {
			on, err := c.Placer.Place(r, e)
			if n := e.DeviceCount(); err != nil || held[e.Account]+n > c.gpus {
				blocked[e.Account] = true
			} else if err := r.FreePool.Take(on, 0, 0); err != nil {
				return nil, err
			} else {
				a.Alloc, held[e.Account] = on, held[e.Account]+n
			}
		}
		out = append(out, a)
	}
	return out, nil
}

// Place implements engine.Placer.
func (c *countQuota) Place(r *engine.Round, e *engine.Entry) (policy.Alloc, error) {
	if e.WantedAlloc == nil {
		return nil, fmt.Errorf("account %s has its quota", e.Account)
	}
	return place.OnAssignedDevices{}.Place(r, e)
}
