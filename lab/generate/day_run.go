package generate

import (
	"math"

	"fairbridge/replica/workload"
)

// Runs of one template resemble each other: this much of the variance of the
// logarithm of run times is between templates, the rest within.
const templateVarianceShare = .75

// drawRun draws a run of a template.
func (w *daySampler) drawRun(template workload.Job) workload.Job {
	j := template
	z := math.Sqrt(templateVarianceShare)*template.Duration + math.Sqrt(1-templateVarianceShare)*w.random.NormFloat64()
	u := .5 * math.Erfc(-z/math.Sqrt2)
	j.End = w.drawJobEnd(j.GPUs, u)
	long := w.runTime(u, sizeBin(j.GPUs, len(w.sizeShares)))
	j.Duration = min(roundUpSeconds(long), w.MaxRunTime.Seconds())
	j.TimeLimit = workload.DrawTimeLimit(w.random, j.Duration, w.MaxRunTime)
	return j
}

// Of failed jobs, so many break early: they are among the shortest.
const (
	earlyFailureShare = .6
	earlyQuantile     = .4
)

// drawJobEnd draws how a job ends whose run time stands at quantile u of all.
func (w *daySampler) drawJobEnd(gpus int, u float64) workload.JobEnd {
	p := endSharesBySize[sizeBin(gpus, len(endSharesBySize))]
	failed := p[2] * (1 - earlyFailureShare)
	if u < earlyQuantile {
		failed += p[2] * earlyFailureShare / earlyQuantile
	}
	done := p[0] / (p[0] + p[1]) * (1 - failed)
	return possibleJobEnds[pickIndex(w.random, []float64{done, 1 - failed - done, failed})]
}
