// Package backfill says who may pass a blocked job: nobody (a nil stage),
// those that delay nothing (EASY), or everybody (Greedy).
package backfill

import "fairbridge/policy"

// EASY gives the first blocked job of each lane a reservation. A later job
// passes if it ends before the reservation begins, or takes only devices the
// reservation leaves over. Lifka, "The ANL/IBM SP scheduling system", JSSPP
// 1995.
type EASY struct {
	// Length says how long jobs run; nil: by their time limits, which are
	// enforced, so nobody reserved is ever delayed. With policy.ByEstimate more
	// jobs pass, and some delay the reservation.
	Length policy.Length
}

// Behind implements policy.Backfiller.
func (b EASY) Behind(r *policy.Round, blocked *policy.Entry) func(*policy.Entry, policy.Alloc) error {
	length := b.Length
	if length == nil {
		length = policy.ByLimit
	}
	return policy.Reserve(r, blocked, length).Pass
}

// Greedy lets every job pass that finds room. Wide jobs starve under it until
// policy.Rules.MaxWait makes them the first of the line.
type Greedy struct{}

// Behind implements policy.Backfiller.
func (Greedy) Behind(*policy.Round, *policy.Entry) func(*policy.Entry, policy.Alloc) error {
	return func(*policy.Entry, policy.Alloc) error { return nil }
}
