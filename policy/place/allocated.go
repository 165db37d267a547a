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
	gang := e.Gang()
	if len(e.Where) == 0 {
		return pool.Fit(r.Free, e.Partition, gang)
	}
	if !pool.Allows(r.Free, e.Where, e.Partition, gang) {
		return nil, fmt.Errorf("was allocated %v, which it may not use", e.Where)
	}
	mark := r.Free.Mark()
	defer r.Free.Rewind(mark)
	if err := r.Free.Take(e.Where, gang.CPUs, gang.MemMB); err != nil {
		return nil, fmt.Errorf("was allocated %v: %w", e.Where, err)
	}
	return e.Where, nil
}
