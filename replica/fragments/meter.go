// Package fragments measures how many GPUs stood free in a simulated run while no waiting job could use
// them; what that means is package fragment's.
package fragments

import (
	"fairbridge/policy"
	"fairbridge/policy/fragment"
	"fairbridge/replica/measure"
)

// maxLooks is how many looks a meter takes before it looks half as often.
const maxLooks = 1024

// Meter looks at a cluster from time to time. The zero Meter is ready for use.
type Meter struct {
	from, last              float64 // seconds, of the first look and of the last
	looks                   int
	minInterval             float64
	unusable, blocked       float64 // GPUs, as the last look saw them
	unusableSum, blockedSum float64 // GPU-seconds up to last
}

// Look looks at the cluster at a moment, unless the last look is still fresh. What was seen holds
// until the next one.
func (m *Meter) Look(seconds float64, clusterNow func() *policy.Snapshot) {
	if m.looks > 0 && seconds-m.last < m.minInterval {
		return
	}
	m.addUpTo(seconds)
	seen := fragment.Measure(clusterNow())
	m.unusable, m.blocked = 0, 0
	for i := range seen.Places {
		m.unusable += float64(seen.Places[i].Unusable())
	}
	for _, n := range seen.BlockedByType {
		m.blocked += float64(n)
	}
	if m.looks++; m.looks%maxLooks == 0 {
		m.minInterval = max(2*m.minInterval, (m.last-m.from)/maxLooks)
	}
}

func (m *Meter) addUpTo(seconds float64) {
	if m.looks == 0 {
		m.from = seconds
	} else {
		m.unusableSum, m.blockedSum = m.unusableSum+m.unusable*(seconds-m.last), m.blockedSum+m.blocked*(seconds-m.last)
	}
	m.last = seconds
}

// AddTo writes down, at the end of a run, what was seen.
func (m *Meter) AddTo(r *measure.Run, end float64) {
	if m.looks == 0 {
		return
	}
	m.addUpTo(max(end, m.last))
	r.UnusableGPUSeconds, r.BlockedGPUSeconds = policy.KnownValue(m.unusableSum), policy.KnownValue(m.blockedSum)
}
