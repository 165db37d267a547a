package measure

import (
	"cmp"
	"maps"
	"math"
	"slices"
)

// JCT returns the completion times, finish − arrival, in the order of Jobs.
func (r *Run) JCT() []float64 {
	jct := make([]float64, len(r.Jobs))
	for i, j := range r.Jobs {
		jct[i] = j.Finish - j.Arrive
	}
	return jct
}

// Rho returns the finish-time fairness of each job, in the order of Jobs: its
// completion time over its exclusive run time times the contention, which is
// the number of jobs in the whole workload over the GPUs, at least 1. It is
// rounded to 5 digits, as published with Shockwave.
func (r *Run) Rho() []float64 {
	contention := max(1, float64(len(r.Jobs))/float64(max(r.ClusterGPUs, 1)))
	return r.rho(func(*Outcome) float64 { return contention })
}

// RhoByJobsPresent is Rho with the mean number of jobs that were present while the
// job was, the contention of Themis, in place of all jobs of the workload.
func (r *Run) RhoByJobsPresent() []float64 {
	return r.rho(func(j *Outcome) float64 { return max(1, j.MeanJobsPresent/float64(max(r.ClusterGPUs, 1))) })
}

func (r *Run) rho(contention func(*Outcome) float64) []float64 {
	rho := make([]float64, len(r.Jobs))
	for i := range r.Jobs {
		j := &r.Jobs[i]
		if j.ExclusiveRunTime > 0 {
			rho[i] = math.RoundToEven((j.Finish-j.Arrive)/(j.ExclusiveRunTime*contention(j))*1e5) / 1e5
		}
	}
	return rho
}

// JainIndexOfAccounts is Jain's index of the accounts' service over their weights: 1 when all
// got in proportion, 1/n when one of n got all. Accounts without jobs do not
// count.
func (r *Run) JainIndexOfAccounts() float64 {
	service := map[string]float64{}
	for _, j := range r.Jobs {
		service[j.Account] += j.Service
	}
	sum, squares := 0.0, 0.0
	for _, name := range slices.Sorted(maps.Keys(service)) {
		x := service[name] / cmp.Or(r.WeightsByAccount[name], 1)
		sum, squares = sum+x, squares+x*x
	}
	if squares == 0 {
		return 1
	}
	return sum * sum / (float64(len(service)) * squares)
}

// minSlowdownRunTime is the run time in seconds below which slowdown does not count how brief
// a job was: seconds of waiting before a job of one second are no harm.
const minSlowdownRunTime = 10

// slowdown is the bounded slowdown: completion time over exclusive run time, of
// which at least 10 s count, and at least 1.
func (j *Outcome) slowdown() float64 {
	return max((j.Finish-j.Arrive)/max(j.ExclusiveRunTime, minSlowdownRunTime), 1)
}

// MeanSlowdownByAccount returns the mean bounded slowdown of each account's jobs: who pays
// for a policy shows when it is compared with another's on the same jobs.
func (r *Run) MeanSlowdownByAccount() map[string]float64 {
	mean, jobs := map[string]float64{}, map[string]float64{}
	for i := range r.Jobs {
		mean[r.Jobs[i].Account] += r.Jobs[i].slowdown()
		jobs[r.Jobs[i].Account]++
	}
	for name := range mean {
		mean[name] /= jobs[name]
	}
	return mean
}

// Point is one of a curve.
type Point struct{ X, Y float64 }

// Distribution returns the cumulative distribution of the values: Y is the
// share of them that are at most X. It has at most so many points, evenly by
// Y, the first and the last among them.
func Distribution(values []float64, points int) []Point {
	sorted := slices.Sorted(slices.Values(values))
	n := min(max(points, 2), len(sorted))
	curve := make([]Point, n)
	for i := range curve {
		k := len(sorted) - 1
		if n > 1 {
			k = i * (len(sorted) - 1) / (n - 1)
		}
		curve[i] = Point{sorted[k], float64(k+1) / float64(len(sorted))}
	}
	return curve
}
