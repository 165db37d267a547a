package replay

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"fairbridge/bridge/study"
	"fairbridge/bridge/study/measure"
)

// Fidelity says how near a simulation of what was done came to what happened.
// Times are seconds; of jobs, those that arrived within the time count.
type Fidelity struct {
	Policy         string    `json:"policy"` // what was simulated
	Jobs           int       `json:"jobs"`
	Makespan       Deviation `json:"makespan_s"`
	MeanJCT        Deviation `json:"mean_jct_s"`
	MedianJCT      Deviation `json:"median_jct_s"`
	MeanWait       Deviation `json:"mean_wait_s"` // from arrival to first start
	MedianWait     Deviation `json:"median_wait_s"`
	RankJCT        float64   `json:"rank_jct"` // Spearman's correlation, job by job; 0 where all are equal
	RankWait       float64   `json:"rank_wait"`
	MedianWaitMiss float64   `json:"median_wait_miss_s"` // how far off the wait of a job is
}

// Deviation is a figure as it was and as it was simulated.
type Deviation struct {
	Real      float64 `json:"real"`
	Simulated float64 `json:"simulated"`
}

// Off is how far the simulated figure is off, as a part of the real one; NaN
// where that is 0.
func (a Deviation) Off() float64 {
	if a.Real == 0 {
		return math.NaN()
	}
	return a.Simulated/a.Real - 1
}

// Percent prints Off.
func (a Deviation) Percent() string {
	if v := a.Off(); !math.IsNaN(v) {
		return fmt.Sprintf("%+.1f %%", 100*v)
	}
	return "–"
}

// Figure is one of the figures by its name.
type Figure struct {
	Name string
	Deviation
}

// Figures are those that are compared as they were and as they were simulated.
func (f *Fidelity) Figures() []Figure {
	return []Figure{
		{"Makespan", f.Makespan}, {"Mean completion", f.MeanJCT}, {"Median completion", f.MedianJCT},
		{"Mean wait", f.MeanWait}, {"Median wait", f.MedianWait},
	}
}

// String says all of it in a sentence.
func (f *Fidelity) String() string {
	var figures []string
	for _, x := range f.Figures() {
		figures = append(figures, fmt.Sprintf("%s (%s)", x.Percent(), x.Name))
	}
	return fmt.Sprintf("Fidelity: a simulation of what was done (%s) is off what happened by %s; rank correlation of completion %.2f, of wait %.2f.",
		f.Policy, strings.Join(figures, ", "), f.RankJCT, f.RankWait)
}

// Rerun simulates what was done, through Slurm as it was done, and says how near
// that comes to what happened.
func (s *Site) Rerun(ctx context.Context, o study.Options, progress func(done, of int)) (study.Result, *Fidelity, error) {
	o.Slurm, o.Mode = true, s.Mode
	run, err := s.Run(ctx, s.Decider, o, progress)
	if err != nil {
		return study.Result{}, nil, err
	}
	f := s.Compare(run)
	return study.NewResult(run.Policy, run), &f, nil
}

// Compare compares a simulation of the past with it.
func (s *Site) Compare(run *measure.Run) Fidelity {
	f := Fidelity{Policy: run.Policy, Makespan: Deviation{s.Real.Makespan, run.Makespan}}
	simulated := map[int64]*measure.Outcome{}
	for i := range run.Jobs {
		simulated[run.Jobs[i].ID] = &run.Jobs[i]
	}
	var jct, wait [2][]float64
	var miss []float64
	for i := range s.Real.Jobs {
		r := &s.Real.Jobs[i]
		m := simulated[r.ID]
		if m == nil || !s.Arrived[r.ID] {
			continue
		}
		jct[0], jct[1] = append(jct[0], r.Finish-r.Arrive), append(jct[1], m.Finish-m.Arrive)
		wait[0], wait[1] = append(wait[0], r.Start-r.Arrive), append(wait[1], m.Start-m.Arrive)
		miss = append(miss, math.Abs(r.Start-m.Start))
	}
	f.Jobs = len(miss)
	f.MeanJCT, f.MedianJCT = Deviation{mean(jct[0]), mean(jct[1])}, Deviation{measure.Median(jct[0]), measure.Median(jct[1])}
	f.MeanWait, f.MedianWait = Deviation{mean(wait[0]), mean(wait[1])}, Deviation{measure.Median(wait[0]), measure.Median(wait[1])}
	f.RankJCT, f.RankWait = spearman(jct[0], jct[1]), spearman(wait[0], wait[1])
	f.MedianWaitMiss = measure.Median(miss)
	return f
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v / float64(len(values))
	}
	return sum
}

// spearman is the correlation of ranks, those of equal values averaged.
func spearman(x, y []float64) float64 {
	a, b := ranks(x), ranks(y)
	ma, mb := mean(a), mean(b)
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

func ranks(values []float64) []float64 {
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
