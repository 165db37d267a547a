package place

import (
	"fmt"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/pool"
)

// OnAssignedDevices puts a gang on the very devices that its assignment names, or nowhere, and
// one whose assignment names none where pool.Fit does.
type OnAssignedDevices struct{}

// Place implements engine.Placer.
func (OnAssignedDevices) Place(r *engine.Round, e *engine.Entry) (policy.Alloc, error) {
	gang := e.GangAsk()
	if len(e.WantedAlloc) == 0 {
		return pool.Fit(r.FreePool, e.Partition, gang)
	}
	if !pool.AllowsAlloc(r.FreePool, e.WantedAlloc, e.Partition, gang) {
		return nil, fmt.Errorf("was allocated %v, which it may not use", e.WantedAlloc)
	}
	mark := r.FreePool.UndoMark()
	defer r.FreePool.Rewind(mark)
	if err := r.FreePool.Take(e.WantedAlloc, gang.CPUs, gang.MemMB); err != nil {
		return nil, fmt.Errorf("was allocated %v: %w", e.WantedAlloc, err)
	}
	return e.WantedAlloc, nil
}
