package learn

import (
	"cmp"
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
	known := min(len(runs), minRunsBeforeScore)
	scoredFrom := max(len(runs)-maxScoredRuns, known)
	heldOutFrom := min(len(runs)*(100-heldOutPercent)/100, max(len(runs)-heldOutRuns, known))
	first := min(heldOutFrom, scoredFrom)
	for i := range runs[:first] {
		m.AddRun(&runs[i])
	}
	heldOut, scored := m.addInTurn(runs[first:], heldOutFrom-first, scoredFrom-first)
	switch {
	case len(heldOut) < minHeldOutRuns:
	case len(runs) < minRunsForNames:
		m.tuneLevels(nameLevel, heldOut)
	default:
		m.tuneLevels(levelCount, heldOut)
	}
	m.Trust = runOrderTrust(scored)
	m.Speeds = CompareSpeeds(runs)
	m.Compact(most)
	return m
}

// The last heldOutPercent of the runs, and the last heldOutRuns of few, say which
// parameters are best, if there are at least minHeldOutRuns after the first
// minRunsBeforeScore; no more than maxHeldOutRuns of them are looked at. Fewer than
// minRunsForNames have too few of each name to say how fast a program changes.
const (
	heldOutPercent  = 25
	heldOutRuns     = 200
	minHeldOutRuns  = 60
	maxHeldOutRuns  = 4000
	minRunsForNames = 400
)

func compareByEnd(a, b Run) int { return a.End.Compare(b.End) }

// LearntAt returns when a model that is fitted every hour knows of a run that
// ended at a time: at the next full hour.
func LearntAt(end time.Time) time.Time { return end.Add(time.Hour - 1).Truncate(time.Hour) }

// startingRun is a run about which a model is asked as it was when the run began.
type startingRun struct {
	*Run
	isHeldOut, isScored bool
}

// addInTurn adds runs in the order in which they ended. For some of those from heldOutFrom
// on it notes what each level of a model fitted every hour had known at their start,
// for those from scoredFrom on what such a model would have predicted of them.
func (m *Model) addInTurn(runs []Run, heldOutFrom, scoredFrom int) (heldOut []heldOutRun, scored []scoredRun) {
	every := max(1, (len(runs)-heldOutFrom+maxHeldOutRuns-1)/maxHeldOutRuns)
	var starts []startingRun
	for i := range runs {
		s := startingRun{&runs[i], i >= heldOutFrom && (i-heldOutFrom)%every == 0, i >= scoredFrom}
		if (s.isHeldOut || s.isScored) && s.limitedSeconds() > 0 {
			starts = append(starts, s)
		}
	}
	slices.SortStableFunc(starts, func(a, b startingRun) int { return a.Start.Compare(b.Start) })
	heldOut = make([]heldOutRun, 0, min((len(runs)-heldOutFrom+every-1)/every, len(starts)))
	for i := range runs {
		for len(starts) > 0 && starts[0].Start.Before(LearntAt(runs[i].End)) {
			s := starts[0]
			if starts = starts[1:]; s.isHeldOut {
				heldOut = append(heldOut, m.newHeldOutRun(s.Run))
			}
			if s.isScored {
				scored = append(scored, m.newScoredRun(s.Run))
			}
		}
		m.AddRun(&runs[i])
	}
	return heldOut, scored
}

// Of the last maxScoredRuns runs it is asked whether their order by predicted run time
// was right, those left out before which fewer than minRunsBeforeScore are known.
// Predictions of few runs prove little: that of trustPriorRuns runs that they
// were all right counts half.
const (
	maxScoredRuns      = 200
	minRunsBeforeScore = 20
	trustPriorRuns     = 20
)

// scoredRun is a run that ended and what had been predicted of it when it began.
type scoredRun struct{ predictedSeconds, ranSeconds float64 }

// RunOrderTrust returns how far the order of runs by predicted run time can be trusted,
// 0 to 1: the surplus of pairs that were in their true order over those that were
// not, as a part of all pairs that ran unequally long (the D of R. H. Somers,
// "A New Asymmetric Measure of Association for Ordinal Variables", 1962), made
// smaller where there are few. The two lists belong together, in seconds.
func RunOrderTrust(predictedSeconds, ranSeconds []float64) float64 {
	runs := make([]scoredRun, min(len(predictedSeconds), len(ranSeconds)))
	for i := range runs {
		runs[i] = scoredRun{predictedSeconds[i], ranSeconds[i]}
	}
	return runOrderTrust(runs)
}

// runOrderTrust is RunOrderTrust of runs.
func runOrderTrust(runs []scoredRun) float64 {
	surplus, pairs := 0, 0
	for i, a := range runs {
		for _, b := range runs[:i] {
			if really := cmp.Compare(a.ranSeconds, b.ranSeconds); really != 0 {
				pairs++
				surplus += really * cmp.Compare(a.predictedSeconds, b.predictedSeconds)
			}
		}
	}
	if surplus <= 0 {
		return 0
	}
	n := float64(len(runs))
	return float64(surplus) / float64(pairs) * n / (n + trustPriorRuns)
}

// newScoredRun notes what the model predicts of a run.
func (m *Model) newScoredRun(r *Run) scoredRun {
	return scoredRun{m.RunTimeDistOf(&r.Job).QuantileLeft(.5, 0).Seconds(), r.limitedSeconds()}
}
