package api

import (
	"time"

	"fairbridge/accounting/estimates"
	"fairbridge/policy"
)

// LikelyChance is from which chance on a job is called likely to be done by a time.
const LikelyChance = .8

// Deadline is how likely a job is done by its deadline, and what would make it likely.
type Deadline struct {
	At     time.Time `json:"at"`
	IsSoft bool      `json:"soft,omitempty"`
	// Chance is that of being done by it, from 0.05 to 0.95: of a job that runs by what is thought to be left of its
	// run, in its time limit; of one that waits for the first time as of the last estimate. 0: there is none.
	Chance   float64            `json:"chance,omitempty"`
	LikelyBy time.Time          `json:"likely_by,omitzero"` // by when it is done with LikelyChance; not set: not known, or its time limit may end it before
	Promise  *estimates.Promise `json:"promise,omitempty"`  // what it was told when it was first seen; nil: nothing is stored
	// Offers are smaller and shorter requests, and other partitions, whose chance is higher, the likeliest first; of a job
	// that waits as if they were submitted in its stead, where its own chance is below LikelyChance.
	Offers []DeadlineOffer `json:"offers,omitempty"`
}

// DeadlineOffer is another request with its chance of being done by the same time.
type DeadlineOffer struct {
	Job      policy.Job `json:"job"`
	Chance   float64    `json:"chance"`
	LikelyBy time.Time  `json:"likely_by"`
}
