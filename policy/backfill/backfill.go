// Package backfill says which jobs may pass a blocked one: none (a nil stage),
// those that delay nothing (EASY), or all (Greedy).
package backfill

import (
	"time"

	"fairbridge/policy"
	"fairbridge/policy/engine"
)

// EASY gives the first blocked job of each partition and GPU type a reservation. A later job
// passes if it ends before the reservation begins, or takes only devices the
// reservation leaves over. Lifka, "The ANL/IBM SP scheduling system", JSSPP
// 1995.
type EASY struct {
	// RunLength says how long jobs run; nil: by their time limits, which are
	// enforced, so no job with a reservation is ever delayed. With engine.RunLengthByEstimate more
	// jobs pass, and some delay the reservation.
	RunLength engine.RunLength
}

// NewPassCheck implements engine.Backfiller.
func (b EASY) NewPassCheck(r *engine.Round, blocked *engine.Entry) func(*engine.Entry, policy.Alloc) error {
	length := b.RunLength
	if length == nil {
		length = engine.RunLengthByLimit
	}
	return engine.Reserve(r, blocked, length).CheckPass
}

// Greedy lets every job pass that finds room. Wide jobs starve under it until
// engine.Rules.MaxWait makes them the first of the line.
type Greedy struct{}

// NewPassCheck implements engine.Backfiller.
func (Greedy) NewPassCheck(*engine.Round, *engine.Entry) func(*engine.Entry, policy.Alloc) error {
	return func(*engine.Entry, policy.Alloc) error { return nil }
}

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
