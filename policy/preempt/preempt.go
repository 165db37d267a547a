// Package preempt says which running jobs give way to which waiting ones. The
// shortest run, the number of stops and the jobs that are never stopped are
// engine.Rules, not matters of this stage.
package preempt

import (
	"errors"
	"fmt"
	"time"

	"fairbridge/policy/engine"
)

var errNever = errors.New("nobody is stopped")

// Never is a Preempter under which no job is stopped. It is what a nil stage means, for places where a value is
// needed.
type Never struct{}

// Tier implements engine.Preempter; all jobs are of one tier, so none gives
// way.
func (Never) Tier(*engine.Round, *engine.Entry) int { return 0 }

// MayStop implements engine.Preempter.
func (Never) MayStop(*engine.Round, *engine.Entry) error { return errNever }

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

// Spare is a Preempter that also keeps jobs that are nearly done: one predicted
// to end within Within is not stopped, as that would win little.
type Spare struct {
	engine.Preempter
	Within time.Duration // 0: no job is spared
}

// MayStop implements engine.Preempter.
func (s Spare) MayStop(r *engine.Round, victim *engine.Entry) error {
	left, known := engine.ByEstimate(r, victim)
	if known && left < s.Within {
		return fmt.Errorf("it ends within %v", s.Within)
	}
	return s.Preempter.MayStop(r, victim)
}
