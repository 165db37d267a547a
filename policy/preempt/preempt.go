// Package preempt says which running jobs give way to which waiting ones. The
// shortest run, the number of stops and the jobs that are never stopped are
// engine.Rules, not matters of this stage.
package preempt

import "fairbridge/policy/engine"

// ByTier lets jobs of a smaller tier take the place of those of a larger one.
type ByTier func(*engine.Round, *engine.Entry) int

// Tier implements engine.Preempter.
func (f ByTier) Tier(r *engine.Round, e *engine.Entry) int { return f(r, e) }

// MayStop implements engine.Preempter: the rules decide alone.
func (ByTier) MayStop(*engine.Round, *engine.Entry) error { return nil }

// QOS returns tiers from an ordered list of QOS names, the most important
// first. Jobs of a QOS that is not listed come after all of them.
func QOS(names ...string) ByTier {
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
