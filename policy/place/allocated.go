package place

import (
	"fmt"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/pool"
)

// Allocated puts a gang on the very devices that its turn names, or nowhere, and
// one whose turn names none where pool.Fit does.
type Allocated struct{}

// Place implements engine.Placer.
func (Allocated) Place(r *engine.Round, e *engine.Entry) (policy.Alloc, error) {
	gang := e.GangAsk()
	if len(e.WantedAlloc) == 0 {
		return pool.Fit(r.FreePool, e.Partition, gang)
	}
	if !pool.AllowsAlloc(r.FreePool, e.WantedAlloc, e.Partition, gang) {
		return nil, fmt.Errorf("was allocated %v, which it may not use", e.WantedAlloc)
	}
	mark := r.FreePool.Mark()
	defer r.FreePool.Rewind(mark)
	if err := r.FreePool.Take(e.WantedAlloc, gang.CPUs, gang.MemMB); err != nil {
		return nil, fmt.Errorf("was allocated %v: %w", e.WantedAlloc, err)
	}
	return e.WantedAlloc, nil
}
