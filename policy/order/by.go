package order

import (
	"cmp"
	"slices"

	"fairbridge/policy"
	"fairbridge/policy/engine"
)

// Key compares two entries of a round; negative puts a before b.
type Key func(r *engine.Round, a, b *engine.Entry) int

// ByKeys is a line by keys: the first that tells two entries apart decides. Those
// that no key tells apart stand by arrival, then by job id.
type ByKeys []Key

// Order implements engine.Orderer.
func (k ByKeys) Order(r *engine.Round) ([]*engine.Entry, error) {
	return r.Line(func(a, b *engine.Entry) int {
		for _, key := range k {
			if c := key(r, a, b); c != 0 {
				return c
			}
		}
		return engine.CompareArrival(a, b)
	}), nil
}

// ByArrival is first come, first served. Jobs that hold GPUs come first: they
// have been served.
type ByArrival struct{}

// Order implements engine.Orderer.
func (ByArrival) Order(r *engine.Round) ([]*engine.Entry, error) {
	return ByKeys{ActiveFirst}.Order(r)
}

// IsSparable implements engine.Sparable.
func (ByArrival) IsSparable(*policy.Snapshot) bool { return true }

// OrderWaiting implements engine.WaitingOrderer.
func (ByArrival) OrderWaiting(_ *engine.Round, waiting []*engine.Entry) {
	slices.SortFunc(waiting, engine.CompareArrival)
}

// ActiveFirst puts jobs that hold GPUs before those that do not.
func ActiveFirst(_ *engine.Round, a, b *engine.Entry) int {
	return -compareBool(a.HoldsGPUs(), b.HoldsGPUs())
}

// EarliestStartFirst puts the job that started first in front, and those that never
// ran last.
func EarliestStartFirst(_ *engine.Round, a, b *engine.Entry) int {
	if c := compareBool(a.FirstStart.IsZero(), b.FirstStart.IsZero()); c != 0 {
		return c
	}
	return a.FirstStart.Compare(b.FirstStart)
}

// ReplicasFirst puts replicas of inference services before all other jobs.
func ReplicasFirst(_ *engine.Round, a, b *engine.Entry) int {
	return -compareBool(a.ReplicaOf != "", b.ReplicaOf != "")
}

// LongestRunFirst puts the job in front that has run for the longest time since its last start, so that those that lose
// least stand at the end, from which jobs are taken that give way.
func LongestRunFirst(r *engine.Round, a, b *engine.Entry) int {
	return cmp.Compare(b.Ran(r.Now), a.Ran(r.Now))
}

// compareBool puts false before true.
func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// EarliestDeadlineFirst puts the job with the earliest deadline in front, and those without one
// last.
func EarliestDeadlineFirst(_ *engine.Round, a, b *engine.Entry) int {
	if c := compareBool(a.Deadline.IsZero(), b.Deadline.IsZero()); c != 0 {
		return c
	}
	return a.Deadline.Compare(b.Deadline)
}
