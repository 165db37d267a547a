package measure

import (
	"math"
	"slices"
)

// Summary are the figures of a run. Fractions are 0..1.
type Summary struct {
	Policy               string  `json:"policy"`
	Trace                string  `json:"trace"`
	JobCount             int     `json:"jobs"`
	Makespan             float64 `json:"makespan_s"` // from the start of the workload to the last end
	AvgJCT               float64 `json:"avg_jct_s"`  // job completion time: finish − arrival
	MedianJCT            float64 `json:"median_jct_s"`
	P99JCT               float64 `json:"p99_jct_s"`
	AvgQueueSeconds      float64 `json:"avg_queue_s"`       // JCT without the time it held GPUs
	WorstRho             float64 `json:"worst_rho"`         // finish-time fairness; see Run.Rho
	MeanRho              float64 `json:"mean_rho"`          // likewise
	WorstPresentRho      float64 `json:"worst_present_rho"` // by the jobs that were present; see Run.RhosByJobsPresent
	MeanPresentRho       float64 `json:"mean_present_rho"`  // likewise
	UnfairShare          float64 `json:"unfair_share"`      // of jobs with ρ > 1.05
	Utilization          float64 `json:"utilization"`       // BusyGPUSeconds over ClusterGPUs × Makespan
	RestartCount         int     `json:"restarts"`          // stops, moves and resizes of running jobs
	LostGPUHours         float64 `json:"lost_gpu_hours"`
	MeanSlowdown         float64 `json:"mean_slowdown"` // see JobOutcome.Slowdown
	WorstAccountSlowdown float64 `json:"worst_account_slowdown"`
	MakespanOverBound    float64 `json:"makespan_over_bound"`   // part by which it is above Run.LowerBounds; -1: those do not hold
	AvgJCTOverBound      float64 `json:"avg_jct_over_bound"`    // likewise
	MeanPredictionError  float64 `json:"mean_prediction_error"` // see Run.PredictionErrors; -1: nothing was predicted
	P99PredictionError   float64 `json:"p99_prediction_error"`  // likewise
	UnusableShare        float64 `json:"unusable_share"`        // Run.UnusableGPUSeconds over ClusterGPUs × Makespan; -1: not known
	MeanBlockedGPUs      float64 `json:"mean_blocked_gpus"`     // Run.BlockedGPUSeconds over Makespan; -1: not known
	WallSeconds          float64 `json:"wall_s"`
}

// unfairAboveRho is the ρ above which the papers call a job unfairly treated.
const unfairAboveRho = 1.05

// Summarize works out the figures.
func (r *Run) Summarize() Summary {
	s := Summary{Policy: r.PolicyName, Trace: r.TraceName, JobCount: len(r.JobOutcomes), Makespan: r.MakespanSeconds, WallSeconds: r.WallSeconds, MakespanOverBound: -1, AvgJCTOverBound: -1, UnusableShare: -1, MeanBlockedGPUs: -1}
	if r.MakespanSeconds > 0 && r.ClusterGPUs > 0 {
		s.Utilization = r.BusyGPUSeconds / (float64(r.ClusterGPUs) * r.MakespanSeconds)
	}
	if r.UnusableGPUSeconds.Known && r.MakespanSeconds > 0 && r.ClusterGPUs > 0 {
		s.UnusableShare = r.UnusableGPUSeconds.Value / (float64(r.ClusterGPUs) * r.MakespanSeconds)
		s.MeanBlockedGPUs = r.BlockedGPUSeconds.Value / r.MakespanSeconds
	}
	s.setPredictionErrors(r.PredictionErrors())
	if len(r.JobOutcomes) == 0 {
		return s
	}
	jct, rho := r.JCTs(), r.Rhos()
	s.AvgJCT, s.MeanRho, s.WorstRho = Mean(jct), Mean(rho), slices.Max(rho)
	present := r.RhosByJobsPresent()
	s.MeanPresentRho, s.WorstPresentRho = Mean(present), slices.Max(present)
	s.UnfairShare = shareAbove(rho, unfairAboveRho)
	for _, mean := range r.MeanSlowdownByAccount() {
		s.WorstAccountSlowdown = max(s.WorstAccountSlowdown, mean)
	}
	if b := r.LowerBounds(); r.HasOneSpeed && b.AvgJCT > 0 {
		s.MakespanOverBound, s.AvgJCTOverBound = s.Makespan/b.Makespan-1, s.AvgJCT/b.AvgJCT-1
	}
	slices.Sort(jct)
	s.MedianJCT, s.P99JCT = Quantile(jct, 0.5), Quantile(jct, 0.99)
	s.RestartCount, s.LostGPUHours = r.CountStops(), r.LostGPUHours()
	for _, j := range r.JobOutcomes {
		s.MeanSlowdown += j.Slowdown() / float64(len(r.JobOutcomes))
		s.AvgQueueSeconds += (j.Finish - j.Arrive - j.HeldSeconds) / float64(len(r.JobOutcomes))
	}
	return s
}

func shareAbove(values []float64, limit float64) float64 {
	n := 0
	for _, v := range values {
		if v > limit {
			n++
		}
	}
	return float64(n) / float64(max(len(values), 1))
}

// Mean of values; 0 of none.
func Mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(max(len(values), 1))
}

// Quantile of sorted values, linear between two of them.
func Quantile(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	low := int(math.Floor(at))
	high := min(low+1, len(sorted)-1)
	return sorted[low] + (at-float64(low))*(sorted[high]-sorted[low])
}

// Median of values in any order; 0 of none.
func Median(values []float64) float64 {
	n := len(values)
	if n == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// CountStops counts the stops of all jobs.
func (r *Run) CountStops() int {
	n := 0
	for i := range r.JobOutcomes {
		n += r.JobOutcomes[i].StopCount
	}
	return n
}

// LostGPUHours is the GPU time that brought no progress.
func (r *Run) LostGPUHours() float64 {
	sum := 0.0
	for i := range r.JobOutcomes {
		sum += r.JobOutcomes[i].LostService / 3600
	}
	return sum
}
