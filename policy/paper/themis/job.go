package themis

import (
	"cmp"
	"fmt"
	"math"
	"time"

	"fairbridge/policy/engine"
)

// suitor is a job of a round of Themis. Times are seconds.
type suitor struct {
	*engine.Entry
	row    int     // in Round.Entries
	age    float64 // since it arrived
	left   float64 // on its gang
	alone  float64 // from start to end on an equal part of the cluster
	slowed float64 // how many times longer it takes on an equal part than on its gang
	rho    float64 // if it has an equal part from now on
	until  time.Time
	part   float64 // of a lease it may keep
}

// assess finds a job's ρ. crowd is the mean number of jobs during its life.
func (m *round) assess(a *suitor, now time.Time, crowd float64, unknown time.Duration) {
	a.age = max(now.Sub(a.Arrive).Seconds(), 0)
	a.left = a.Estimate.Left.Seconds()
	if a.Estimate.From == "" {
		a.left = unknown.Seconds()
	}
	a.left = max(a.left, 1)
	total := a.left
	if g := a.Ask.GPUs.Whole(); g > 0 {
		total += float64(a.Attained) / g
	}
	a.slowed = max(crowd, 1)
	if m.Alone == "gpus" {
		a.slowed = max(crowd/max(m.gpus, 1), 1)
	}
	a.alone = a.slowed * total
	a.rho = (a.age + a.slowed*a.left) / a.alone
}

// gain is the logarithm of how many times smaller ρ is with the gang from now
// on than with an equal part.
func (a *suitor) gain(spread float64) float64 {
	return math.Log((a.age + a.slowed*a.left) / (a.age + spread*a.left))
}

// compare puts the worst ρ first.
func (a *suitor) compare(b *suitor) int {
	return cmp.Or(cmp.Compare(b.rho, a.rho), engine.ByArrival(a.Entry, b.Entry))
}

func (a *suitor) note() string {
	return fmt.Sprintf("done after %.2f times what it would take alone, at an equal part from now on", a.rho)
}
