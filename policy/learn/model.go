package learn

import (
	"time"

	"fairbridge/policy"
)

// Version of the method: a stored model of another one is fitted again.
const Version = 1

// Model is what was learnt. It is not changed by being asked.
type Model struct {
	Version int       `json:"version"`
	From    time.Time `json:"from"`    // start of the first run it was fitted from
	Through time.Time `json:"through"` // end of the last
	Runs    int       `json:"runs"`    // how many
	Texts   []string  `json:"texts"`   // by the numbers that stand for them; filled by Compact
	Levels  []Level   `json:"levels"`  // the most general first
	// Speeds are those of GPU types, as far as the runs tell; see CompareSpeeds.
	Speeds []policy.Speed `json:"speeds,omitempty"`

	texts textTable
}

// Level is one way to group jobs, and what is known of each group.
type Level struct {
	Name string `json:"name"`
	levelParameters
	Groups []*group `json:"groups"` // by key, once Compact was called

	groupsByKey map[groupKey]*group
}

// New returns a model that knows nothing.
func New() *Model {
	m := &Model{Version: Version, Levels: make([]Level, levelCount), texts: newTexts()}
	for i := range groupings {
		m.Levels[i] = Level{Name: groupings[i].name, levelParameters: groupings[i].startParameters, groupsByKey: map[groupKey]*group{}}
	}
	return m
}

// AddRun counts one more run. Runs are to be added in the order in which they end.
func (m *Model) AddRun(r *Run) {
	seconds, limit := r.seconds(), r.Limit.Seconds()
	if !(seconds > 0) {
		return
	}
	numbers := m.texts.numberAndAdd(&r.Job)
	for i := range groupings {
		k, l := &groupings[i], &m.Levels[i]
		at, ok := k.keyOfJob(&numbers)
		if !ok {
			continue
		}
		g := l.groupsByKey[at]
		if g == nil {
			g = &group{Key: at}
			l.groupsByKey[at] = g
			l.Groups = append(l.Groups, g)
		}
		g.addRun(k.binOfRun(seconds, limit), k.keepFactor)
		g.Last = r.End.Unix()
	}
	if m.From.IsZero() || r.Start.Before(m.From) {
		m.From = r.Start.UTC()
	}
	if r.End.After(m.Through) {
		m.Through = r.End.UTC()
	}
	m.Runs++
}

// RunTimeOf returns the distribution of the run time of a job.
func (m *Model) RunTimeOf(j *Job) *RunTimeDist {
	d := &RunTimeDist{limitSeconds: j.Limit.Seconds()}
	var groups [levelCount]*group
	var shares [levelCount]float64
	rest := 1.0
	numbers := m.texts.lookUp(j)
	for i := levelCount - 1; i >= 0 && rest > minTailShare; i-- {
		at, ok := groupings[i].keyOfJob(&numbers)
		if !ok || m.Levels[i].Most == 0 {
			continue
		}
		if g := m.Levels[i].groupsByKey[at]; g != nil {
			s := m.Levels[i].shareForRuns(g.Runs)
			groups[i], shares[i] = g, rest*s
			rest *= 1 - s
		}
	}
	for b, p := range priorMass {
		d.massByBin[b] = p * rest
	}
	var k kernel
	for i, g := range groups {
		if g == nil || shares[i] < minTailShare {
			continue
		}
		by := 0
		if groupings[i].isLimitRatio {
			by = ratioBinShift(d.limitSeconds)
		}
		k.setSigma(kernelSigma(m.Levels[i].Width, g.Runs))
		k.addGroup(&d.massByBin, g, shares[i], by)
	}
	return d
}
