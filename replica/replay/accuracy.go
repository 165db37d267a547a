package replay

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"fairbridge/policy"
	"fairbridge/replica/measure"
	"fairbridge/replica/study"
)

// Accuracy says how near a simulation of what was done came to what happened.
// Times are seconds; of jobs, those that arrived within the time count.
type Accuracy struct {
	Policy              string           `json:"policy"` // what was simulated
	JobCount            int              `json:"jobs"`
	ClusterGPUs         int              `json:"cluster_gpus"` // on which it was simulated: those of then
	Makespan            RealAndSimulated `json:"makespan_s"`
	MeanJCT             RealAndSimulated `json:"mean_jct_s"`
	MedianJCT           RealAndSimulated `json:"median_jct_s"`
	MeanWait            RealAndSimulated `json:"mean_wait_s"` // from arrival to first start: waits after requeues are part of JCT alone
	MedianWait          RealAndSimulated `json:"median_wait_s"`
	JCTRankCorrelation  float64          `json:"rank_jct"` // Spearman's correlation, job by job; 0 where all are equal
	WaitRankCorrelation float64          `json:"rank_wait"`
	MedianWaitError     float64          `json:"median_wait_miss_s"` // how far off the wait of a job is
}

// RealAndSimulated is a figure as it was and as it was simulated.
type RealAndSimulated struct {
	Real      float64 `json:"real"`
	Simulated float64 `json:"simulated"`
}

// RelativeError is how far the simulated figure is off, as a part of the real
// one; NaN where that is 0.
func (a RealAndSimulated) RelativeError() float64 {
	if a.Real == 0 {
		return math.NaN()
	}
	return a.Simulated/a.Real - 1
}

// FormatError prints the relative error in percent.
func (a RealAndSimulated) FormatError() string {
	if v := a.RelativeError(); !math.IsNaN(v) {
		return fmt.Sprintf("%+.1f %%", 100*v)
	}
	return "–"
}

// NamedFigure is one of the figures by its name.
type NamedFigure struct {
	Name string
	RealAndSimulated
}

// Figures are those that are compared as they were and as they were simulated.
func (f *Accuracy) Figures() []NamedFigure {
	return []NamedFigure{
		{"Makespan", f.Makespan}, {"Mean completion", f.MeanJCT}, {"Median completion", f.MedianJCT},
		{"Mean first wait", f.MeanWait}, {"Median first wait", f.MedianWait},
	}
}

// String says all of it in a sentence.
func (f *Accuracy) String() string {
	var figures []string
	for _, x := range f.Figures() {
		figures = append(figures, fmt.Sprintf("%s (%s)", x.FormatError(), x.Name))
	}
	return fmt.Sprintf("Fidelity: a simulation of what was done (%s, on the %s of then) is off what happened by %s; rank correlation of completion %.2f, of wait %.2f.",
		f.Policy, policy.FormatCount(f.ClusterGPUs, "GPU"), strings.Join(figures, ", "), f.JCTRankCorrelation, f.WaitRankCorrelation)
}

// Rerun simulates what was done, through Slurm as it was done, and says how near
// that comes to what happened.
func (s *PastScenario) Rerun(ctx context.Context, o study.RunOptions, progress func(done, of int)) (study.Result, *Accuracy, error) {
	o.ThroughSlurm, o.Mode = true, s.Mode
	run, err := s.Run(ctx, s.Decider, o, progress)
	if err != nil {
		return study.Result{}, nil, err
	}
	f := s.CompareRun(run)
	if s.OnAskedNodes != nil { // beside which it must not be taken for an answer
		run.PolicyName = fmt.Sprintf("%s on the %s of then", run.PolicyName, policy.FormatCount(run.ClusterGPUs, "GPU"))
	}
	return study.NewResult(run.PolicyName, run), &f, nil
}

// CompareRun compares a simulation of the past with it.
func (s *PastScenario) CompareRun(run *measure.Run) Accuracy {
	f := Accuracy{Policy: run.PolicyName, ClusterGPUs: run.ClusterGPUs, Makespan: RealAndSimulated{s.RealRun.MakespanSeconds, run.MakespanSeconds}}
	simulated := map[int64]*measure.JobOutcome{}
	for i := range run.JobOutcomes {
		simulated[run.JobOutcomes[i].ID] = &run.JobOutcomes[i]
	}
	var jct, wait [2][]float64
	var miss []float64
	for i := range s.RealRun.JobOutcomes {
		r := &s.RealRun.JobOutcomes[i]
		m := simulated[r.ID]
		if m == nil || !s.ArrivedWithinPeriod[r.ID] {
			continue
		}
		jct[0], jct[1] = append(jct[0], r.Finish-r.Arrive), append(jct[1], m.Finish-m.Arrive)
		wait[0], wait[1] = append(wait[0], r.Start-r.Arrive), append(wait[1], m.Start-m.Arrive)
		miss = append(miss, math.Abs(r.Start-m.Start))
	}
	f.JobCount = len(miss)
	f.MeanJCT, f.MedianJCT = RealAndSimulated{measure.Mean(jct[0]), measure.Mean(jct[1])}, RealAndSimulated{measure.Median(jct[0]), measure.Median(jct[1])}
	f.MeanWait, f.MedianWait = RealAndSimulated{measure.Mean(wait[0]), measure.Mean(wait[1])}, RealAndSimulated{measure.Median(wait[0]), measure.Median(wait[1])}
	f.JCTRankCorrelation, f.WaitRankCorrelation = spearmanCorrelation(jct[0], jct[1]), spearmanCorrelation(wait[0], wait[1])
	f.MedianWaitError = measure.Median(miss)
	return f
}

// spearmanCorrelation is the correlation of ranks, those of equal values averaged.
func spearmanCorrelation(x, y []float64) float64 {
	a, b := averagedRanks(x), averagedRanks(y)
	ma, mb := measure.Mean(a), measure.Mean(b)
	var ab, aa, bb float64
	for i := range a {
		ab += (a[i] - ma) * (b[i] - mb)
		aa += (a[i] - ma) * (a[i] - ma)
		bb += (b[i] - mb) * (b[i] - mb)
	}
	if aa == 0 || bb == 0 {
		return 0
	}
	return ab / math.Sqrt(aa*bb)
}

func averagedRanks(values []float64) []float64 {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(values[i], values[j]) })
	out := make([]float64, len(values))
	for from := 0; from < len(order); {
		to := from + 1
		for to < len(order) && values[order[to]] == values[order[from]] {
			to++
		}
		for _, i := range order[from:to] {
			out[i] = float64(from+to-1) / 2
		}
		from = to
	}
	return out
}
