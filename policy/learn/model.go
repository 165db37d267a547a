package learn

import (
	"time"

	"fairbridge/policy"
)

// MethodVersion is that of the method: a stored model of another one is fitted again.
const MethodVersion = 2

// Model is what was learnt. It is not changed by being asked.
type Model struct {
	Version       int       `json:"version"`
	FirstRunStart time.Time `json:"from"`    // start of the first run it was fitted from
	LastRunEnd    time.Time `json:"through"` // end of the last
	RunCount      int       `json:"runs"`    // how many
	Texts         []string  `json:"texts"`   // by the numbers that stand for them; filled by Compact
	Levels        []Level   `json:"levels"`  // the most general first
	// Speeds are those of GPU types, as far as the runs tell; see CompareSpeeds.
	Speeds []policy.Speed `json:"speeds,omitempty"`
	// Trust is how far the order of the last runs by what was predicted of them when they
	// began was their true order; see RunOrderTrust.
	Trust float64 `json:"trust,omitempty"`

	textTable textTable
}

// Level is one way to group jobs, and what is known of each group.
type Level struct {
	Name string `json:"name"`
	levelParameters
	Groups []*jobGroup `json:"groups"` // by key, once Compact was called

	groupsByKey map[groupKey]*jobGroup
}

// New returns a model that knows nothing.
func New() *Model {
	m := &Model{Version: MethodVersion, Levels: make([]Level, levelCount), textTable: newTextTable()}
	for i := range groupings {
		m.Levels[i] = Level{Name: groupings[i].name, levelParameters: groupings[i].startParameters, groupsByKey: map[groupKey]*jobGroup{}}
	}
	return m
}

// AddRun counts one more run. Runs are to be added in the order in which they end.
func (m *Model) AddRun(r *Run) {
	seconds, limit := r.limitedSeconds(), r.Limit.Seconds()
	if !(seconds > 0) {
		return
	}
	numbers, bin, ratioBin := m.textTable.numberNewJob(&r.Job), binOfSeconds(seconds), binOfRatio(seconds, limit)
	for i := range groupings {
		k, l := &groupings[i], &m.Levels[i]
		at, ok := k.keyOfJob(&numbers)
		if !ok {
			continue
		}
		g := l.groupsByKey[at]
		if g == nil {
			g = &jobGroup{Key: at}
			l.groupsByKey[at] = g
			l.Groups = append(l.Groups, g)
		}
		if k.usesLimitRatio {
			g.addRun(ratioBin, k.decayPerRun)
		} else {
			g.addRun(bin, k.decayPerRun)
		}
		g.LastEndUnix = r.End.Unix()
	}
	if m.FirstRunStart.IsZero() || r.Start.Before(m.FirstRunStart) {
		m.FirstRunStart = r.Start.UTC()
	}
	if r.End.After(m.LastRunEnd) {
		m.LastRunEnd = r.End.UTC()
	}
	m.RunCount++
}

// RunTimeDistOf returns the distribution of the run time of a job.
func (m *Model) RunTimeDistOf(j *Job) *RunTimeDist {
	var massByBin [binCount]float64
	var groups [levelCount]*jobGroup
	var shares [levelCount]float64
	rest := 1.0
	numbers := m.textTable.numberKnownJob(j)
	for i := levelCount - 1; i >= 0 && rest > minTailShare; i-- {
		at, ok := groupings[i].keyOfJob(&numbers)
		if !ok || m.Levels[i].MaxShare == 0 {
			continue
		}
		if g := m.Levels[i].groupsByKey[at]; g != nil {
			s := m.Levels[i].shareForRuns(g.RunCount)
			groups[i], shares[i] = g, rest*s
			rest *= 1 - s
		}
	}
	for b, p := range priorMassByBin {
		massByBin[b] = p * rest
	}
	var k bellKernel
	for i, g := range groups {
		if g == nil || shares[i] < minTailShare {
			continue
		}
		by := 0
		if groupings[i].usesLimitRatio {
			by = ratioBinShift(j.Limit.Seconds())
		}
		k.setSigma(kernelSigma(m.Levels[i].KernelWidth, g.RunCount))
		k.addGroup(&massByBin, g, shares[i], by)
	}
	return newRunTimeDist(&massByBin, j.Limit.Seconds())
}
