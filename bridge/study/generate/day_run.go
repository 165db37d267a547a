package generate

import (
	"math"
	"time"

	"fairbridge/bridge/study/workload"
)

// Runs of one template resemble each other: this much of the variance of the
// logarithm of run times is between templates, the rest within.
const templateVariance = .75

// runOf draws a run of a template.
func (w *dayDraw) runOf(template workload.Job) workload.Job {
	j := template
	z := math.Sqrt(templateVariance)*template.Duration + math.Sqrt(1-templateVariance)*w.r.NormFloat64()
	u := .5 * math.Erfc(-z/math.Sqrt2)
	j.End = w.outcome(j.GPUs, u)
	long := w.runTime(u, binOf(j.GPUs, len(w.sizes)))
	j.Duration = min(seconds(long), w.Longest.Seconds())
	j.Limit = w.limit(j.Duration)
	return j
}

// Of failed jobs, so many break early: they are among the shortest.
const (
	earlyFailures = .6
	earlyQuantile = .4
)

// outcome draws how a job ends whose run time stands at quantile u of all.
func (w *dayDraw) outcome(gpus int, u float64) workload.End {
	p := endShares[binOf(gpus, len(endShares))]
	failed := p[2] * (1 - earlyFailures)
	if u < earlyQuantile {
		failed += p[2] * earlyFailures / earlyQuantile
	}
	done := p[0] / (p[0] + p[1]) * (1 - failed)
	return possibleEnds[pickIndex(w.r, []float64{done, 1 - failed - done, failed})]
}

// overAsk is the median of time limits in run times; they spread log-normally
// by one. People who do not know ask for all there is.
const (
	limitFactor   = 4
	maxLimitShare = .4
)

// limit draws the time limit of a job: whole five minutes, never less than it
// runs.
func (w *dayDraw) limit(duration float64) time.Duration {
	if w.r.Float64() < maxLimitShare {
		return w.Longest
	}
	const five = 5 * time.Minute
	asked := duration * max(limitFactor*math.Exp(w.r.NormFloat64()), 1.05)
	limit := time.Duration(math.Ceil(asked/five.Seconds())) * five
	return min(limit, w.Longest)
}
