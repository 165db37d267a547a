// Package preempt says which running jobs give way to which waiting ones. The
// shortest run, the number of stops and the jobs that are never stopped are
// engine.Rules, not matters of this stage.
package preempt

import (
	"fairbridge/policy/engine"
)

// ByTier lets jobs of a smaller tier take the place of those of a larger one.
type ByTier func(*engine.Round, *engine.Entry) int

// Tier implements engine.Preempter.
func (f ByTier) Tier(r *engine.Round, e *engine.Entry) int { return f(r, e) }

// ByLease lets jobs that an Allocator granted a lease take the place of the others.
// Unlike the leases alone it leaves the line as it is.
var ByLease ByTier = func(_ *engine.Round, e *engine.Entry) int {
	if e.Grant.HasLease {
		return 0
	}
	return 1
}

// NoPreemption lets no job give way: all are of one tier. It stands beside an Allocator whose
// leases are to displace none.
var NoPreemption ByTier = func(*engine.Round, *engine.Entry) int { return 0 }

// ByQOS returns tiers from an ordered list of QOS names, the most important
// first. Jobs of a QOS that is not listed come after all of them.
func ByQOS(names ...string) ByTier {
	tiers := make(map[string]int, len(names))
	for i, n := range names {
		tiers[n] = i
	}
	return func(_ *engine.Round, e *engine.Entry) int {
		if t, ok := tiers[e.QOS]; ok {
			return t
		}
		return len(names)
	}
}
