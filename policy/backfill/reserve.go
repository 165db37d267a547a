package backfill

import (
	"time"

	"fairbridge/policy"
	"fairbridge/policy/engine"
)

// ReserveAfter lets every job pass a blocked one that waited less, and gives one
// that waited longer a reservation.
type ReserveAfter time.Duration

// NewPassCheck implements engine.Backfiller.
func (after ReserveAfter) NewPassCheck(r *engine.Round, blocked *engine.Entry) func(*engine.Entry, policy.Alloc) error {
	if blocked.Waited(r.Now) < time.Duration(after) {
		return Greedy{}.NewPassCheck(r, blocked)
	}
	return EASY{}.NewPassCheck(r, blocked)
}
