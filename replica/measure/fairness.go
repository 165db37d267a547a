package measure

import (
	"math"
)

// JCTs returns the completion times, finish − arrival, in the order of Jobs.
func (r *Run) JCTs() []float64 {
	jct := make([]float64, len(r.JobOutcomes))
	for i, j := range r.JobOutcomes {
		jct[i] = j.Finish - j.Arrive
	}
	return jct
}

// Rhos returns the finish-time fairness of each job, in the order of Jobs: its
// completion time over its exclusive run time times the contention, which is
// the number of jobs in the whole workload over the GPUs, at least 1. It is
// rounded to 5 digits, as published with Shockwave.
func (r *Run) Rhos() []float64 {
	contention := max(1, float64(len(r.JobOutcomes))/float64(max(r.ClusterGPUs, 1)))
	return r.computeRhos(func(*JobOutcome) float64 { return contention })
}

// RhosByJobsPresent is Rho with the mean number of jobs that were present while the
// job was, the contention of Themis, in place of all jobs of the workload.
func (r *Run) RhosByJobsPresent() []float64 {
	return r.computeRhos(func(j *JobOutcome) float64 { return max(1, j.MeanJobsPresent/float64(max(r.ClusterGPUs, 1))) })
}

func (r *Run) computeRhos(contention func(*JobOutcome) float64) []float64 {
	rho := make([]float64, len(r.JobOutcomes))
	for i := range r.JobOutcomes {
		j := &r.JobOutcomes[i]
		if j.ExclusiveRunSeconds > 0 {
			rho[i] = math.RoundToEven((j.Finish-j.Arrive)/(j.ExclusiveRunSeconds*contention(j))*1e5) / 1e5
		}
	}
	return rho
}

// minSlowdownRunTime is the run time in seconds below which slowdown does not count how brief
// a job was: seconds of waiting before a job of one second are no harm.
const minSlowdownRunTime = 10

// Slowdown is the bounded slowdown: completion time over exclusive run time, of
// which at least 10 s count, and at least 1.
func (j *JobOutcome) Slowdown() float64 {
	return max((j.Finish-j.Arrive)/max(j.ExclusiveRunSeconds, minSlowdownRunTime), 1)
}

// MeanSlowdownByAccount returns the mean bounded slowdown of each account's jobs: who pays
// for a policy shows when it is compared with another's on the same jobs.
func (r *Run) MeanSlowdownByAccount() map[string]float64 {
	mean, jobs := map[string]float64{}, map[string]float64{}
	for i := range r.JobOutcomes {
		mean[r.JobOutcomes[i].Account] += r.JobOutcomes[i].Slowdown()
		jobs[r.JobOutcomes[i].Account]++
	}
	for name := range mean {
		mean[name] /= jobs[name]
	}
	return mean
}
