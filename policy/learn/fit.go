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
	from := len(runs) * (100 - tried) / 100
	for i := range runs[:from] {
		m.Add(&runs[i])
	}
	if v := m.try(runs[from:]); len(v) >= enough {
		m.tune(v)
	}
	m.Speeds = Speeds(runs)
	m.Settle(most)
	return m
}

// The last tried percent of the runs say which numbers are best, if they are
// enough; mostTried of them are looked at.
const (
	tried     = 25
	enough    = 100
	mostTried = 4000
)

func byEnd(a, b Run) int { return a.End.Compare(b.End) }

// Known returns when a model that is fitted every hour knows of a run that
// ended at a time: at the next full hour.
func Known(end time.Time) time.Time { return end.Add(time.Hour - 1).Truncate(time.Hour) }

// try adds runs in the order in which they ended and notes, for some of them,
// what each level of a model fitted every hour had known at their start.
func (m *Model) try(runs []Run) []trial {
	every := max(1, (len(runs)+mostTried-1)/mostTried)
	var starts []*Run
	for i := 0; i < len(runs); i += every {
		starts = append(starts, &runs[i])
	}
	slices.SortStableFunc(starts, func(a, b *Run) int { return a.Start.Compare(b.Start) })
	all := make([]trial, 0, len(starts))
	for i := range runs {
		for len(starts) > 0 && starts[0].Start.Before(Known(runs[i].End)) {
			if starts[0].seconds() > 0 {
				all = append(all, m.trial(starts[0]))
			}
			starts = starts[1:]
		}
		m.Add(&runs[i])
	}
	return all
}
