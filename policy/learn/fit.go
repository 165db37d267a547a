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
	if !slices.IsSortedFunc(runs, compareByEnd) {
		runs = slices.Clone(runs)
		slices.SortStableFunc(runs, compareByEnd)
	}
	from := len(runs) * (100 - heldOutPercent) / 100
	for i := range runs[:from] {
		m.AddRun(&runs[i])
	}
	if v := m.collectHeldOutRuns(runs[from:]); len(v) >= minHeldOutRuns {
		m.tuneLevels(v)
	}
	m.Speeds = CompareSpeeds(runs)
	m.Compact(most)
	return m
}

// The last heldOutPercent of the runs say which parameters are best, if there are at
// least minHeldOutRuns; no more than maxHeldOutRuns of them are looked at.
const (
	heldOutPercent = 25
	minHeldOutRuns = 100
	maxHeldOutRuns = 4000
)

func compareByEnd(a, b Run) int { return a.End.Compare(b.End) }

// LearntAt returns when a model that is fitted every hour knows of a run that
// ended at a time: at the next full hour.
func LearntAt(end time.Time) time.Time { return end.Add(time.Hour - 1).Truncate(time.Hour) }

// collectHeldOutRuns adds runs in the order in which they ended and notes, for some of them,
// what each level of a model fitted every hour had known at their start.
func (m *Model) collectHeldOutRuns(runs []Run) []heldOutRun {
	every := max(1, (len(runs)+maxHeldOutRuns-1)/maxHeldOutRuns)
	var starts []*Run
	for i := 0; i < len(runs); i += every {
		starts = append(starts, &runs[i])
	}
	slices.SortStableFunc(starts, func(a, b *Run) int { return a.Start.Compare(b.Start) })
	all := make([]heldOutRun, 0, len(starts))
	for i := range runs {
		for len(starts) > 0 && starts[0].Start.Before(LearntAt(runs[i].End)) {
			if starts[0].limitedSeconds() > 0 {
				all = append(all, m.newHeldOutRun(starts[0]))
			}
			starts = starts[1:]
		}
		m.AddRun(&runs[i])
	}
	return all
}
