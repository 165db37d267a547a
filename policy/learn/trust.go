package learn

import "cmp"

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
