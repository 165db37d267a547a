package measure

import (
	"cmp"
	"container/heap"
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

// LowerBounds are what no schedule of the same jobs on the same GPUs can fall below, in
// seconds, if every job does its work at one speed: no GPU type is faster for it than the
// one its exclusive run time is of, and it gains nothing from more GPUs than it asks for.
type LowerBounds struct {
	Makespan float64
	AvgJCT   float64
}

// LowerBounds works them out. The makespan is at least that of the longest job after its
// arrival, and from every arrival on at least the work of all jobs that arrive from then
// on over the GPUs. The mean completion time is at least that of the jobs alone; that of
// shortest remaining work first on one machine as fast as all GPUs together; and the least
// mean busy time on that machine plus half the run time alone (M. X. Goemans et al., "Single
// Machine Scheduling with Release Dates", SIAM J. Discrete Math. 2002).
func (r *Run) LowerBounds() LowerBounds {
	if len(r.JobOutcomes) == 0 || r.ClusterGPUs <= 0 {
		return LowerBounds{}
	}
	var b LowerBounds
	jobs := make([]boundJob, len(r.JobOutcomes))
	alone := 0.0
	for i := range r.JobOutcomes {
		j := &r.JobOutcomes[i]
		runs := cmp.Or(j.LeastRunSeconds, j.ExclusiveRunSeconds)
		jobs[i] = boundJob{arrive: j.Arrive, work: float64(j.GPUCount) * runs / float64(r.ClusterGPUs)}
		b.Makespan = max(b.Makespan, j.Arrive+runs)
		alone += runs / float64(len(jobs))
	}
	slices.SortStableFunc(jobs, func(x, y boundJob) int { return cmp.Compare(x.arrive, y.arrive) })
	after := 0.0
	for i := len(jobs) - 1; i >= 0; i-- {
		after += jobs[i].work
		b.Makespan = max(b.Makespan, jobs[i].arrive+after)
	}
	completion, _ := runOnOneMachine(slices.Clone(jobs), func(j *boundJob) float64 { return j.left })
	_, busy := runOnOneMachine(jobs, func(j *boundJob) float64 { return j.work })
	b.AvgJCT = max(alone, completion, busy+alone/2)
	return b
}

// boundJob is a job on one machine that is as fast as all GPUs together.
type boundJob struct {
	arrive, work, left float64
	busySum            float64 // integral of time over its work
}

// runOnOneMachine lets the machine work on the present job of the least rank, and returns
// the mean times from arrival to completion and to the mean moment of being worked on.
// Jobs are sorted by arrival.
func runOnOneMachine(jobs []boundJob, rank func(*boundJob) float64) (completion, busy float64) {
	line, now, n := jobLine{rank: rank}, 0.0, float64(len(jobs))
	for i := 0; i < len(jobs) || len(line.jobs) > 0; {
		if len(line.jobs) == 0 {
			now = max(now, jobs[i].arrive)
		}
		for ; i < len(jobs) && jobs[i].arrive <= now; i++ {
			jobs[i].left = jobs[i].work
			heap.Push(&line, &jobs[i])
		}
		j := line.jobs[0]
		span := j.left
		if i < len(jobs) {
			span = min(span, jobs[i].arrive-now)
		}
		j.busySum += span * (now + span/2)
		if now += span; span < j.left {
			j.left -= span
			heap.Fix(&line, 0)
			continue
		}
		heap.Pop(&line)
		completion += (now - j.arrive) / n
		if j.work > 0 {
			busy += (j.busySum/j.work - j.arrive) / n
		}
	}
	return completion, busy
}

// jobLine is a heap of jobs, the least rank first.
type jobLine struct {
	jobs []*boundJob
	rank func(*boundJob) float64
}

func (l *jobLine) Len() int           { return len(l.jobs) }
func (l *jobLine) Less(a, b int) bool { return l.rank(l.jobs[a]) < l.rank(l.jobs[b]) }
func (l *jobLine) Swap(a, b int)      { l.jobs[a], l.jobs[b] = l.jobs[b], l.jobs[a] }
func (l *jobLine) Push(x any)         { l.jobs = append(l.jobs, x.(*boundJob)) }
func (l *jobLine) Pop() any {
	last := l.jobs[len(l.jobs)-1]
	l.jobs = l.jobs[:len(l.jobs)-1]
	return last
}

// PredictionErrors returns by which part of the predicted time from arrival to completion each
// job's true one was off, in their order; nil where nothing was predicted.
func (r *Run) PredictionErrors() []float64 {
	var errs []float64
	for i := range r.JobOutcomes {
		j := &r.JobOutcomes[i]
		if j.PredictedFinish > j.Arrive {
			errs = append(errs, math.Abs(j.PredictedFinish-j.Finish)/(j.PredictedFinish-j.Arrive))
		}
	}
	return errs
}

// setPredictionErrors fills in the figures of predictions; -1: there are none.
func (s *Summary) setPredictionErrors(errs []float64) {
	s.MeanPredictionError, s.P99PredictionError = -1, -1
	if len(errs) > 0 {
		slices.Sort(errs)
		s.MeanPredictionError, s.P99PredictionError = Mean(errs), Quantile(errs, 0.99)
	}
}

// ListMetrics lists the columns of a table of such summaries: all, but those of predictions
// where nothing was predicted.
func ListMetrics(summaries []*Summary) []*Metric {
	return slices.DeleteFunc(slices.Clone(AllMetrics), func(m *Metric) bool {
		return m.IsOfPredictions() && !slices.ContainsFunc(summaries, func(s *Summary) bool { return m.ValueOf(s) >= 0 })
	})
}

// IsOfPredictions reports whether it says how good predictions were.
func (f *Metric) IsOfPredictions() bool {
	return f.ColumnHead == "PRED ERR" || f.ColumnHead == "P99 ERR"
}
