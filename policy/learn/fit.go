package learn

import (
	"slices"
	"time"
)

// Fit learns from finished runs, in any order (those that ended at the same time
// count in the order given), keeping the most groups of each
// level that ran last; 0: all. The shares of the levels are fitted where there
// are runs enough to tell.
func Fit(runs []Run, most int) *Model {
	m := New()
	if !slices.IsSortedFunc(runs, byEnd) {
		runs = slices.Clone(runs)
		slices.SortStableFunc(runs, byEnd)
	}
	from := len(runs) * (100 - trialPercent) / 100
	for i := range runs[:from] {
		m.Add(&runs[i])
	}
	if v := m.collectTrials(runs[from:]); len(v) >= minTrials {
		m.tune(v)
	}
	m.Speeds = Speeds(runs)
	m.Compact(most)
	return m
}

// The last trialPercent of the runs say which parameters are best, if there are at
// least minTrials; no more than maxTrials of them are looked at.
const (
	trialPercent = 25
	minTrials    = 100
	maxTrials    = 4000
)

func byEnd(a, b Run) int { return a.End.Compare(b.End) }

// KnownFrom returns when a model that is fitted every hour knows of a run that
// ended at a time: at the next full hour.
func KnownFrom(end time.Time) time.Time { return end.Add(time.Hour - 1).Truncate(time.Hour) }

// collectTrials adds runs in the order in which they ended and notes, for some of them,
// what each level of a model fitted every hour had known at their start.
func (m *Model) collectTrials(runs []Run) []trial {
	every := max(1, (len(runs)+maxTrials-1)/maxTrials)
	var starts []*Run
	for i := 0; i < len(runs); i += every {
		starts = append(starts, &runs[i])
	}
	slices.SortStableFunc(starts, func(a, b *Run) int { return a.Start.Compare(b.Start) })
	all := make([]trial, 0, len(starts))
	for i := range runs {
		for len(starts) > 0 && starts[0].Start.Before(KnownFrom(runs[i].End)) {
			if starts[0].seconds() > 0 {
				all = append(all, m.newTrial(starts[0]))
			}
			starts = starts[1:]
		}
		m.Add(&runs[i])
	}
	return all
}
