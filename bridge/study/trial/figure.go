package trial

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"fairbridge/bridge/study/measure"
)

// Figure is one column of a comparison.
type Figure struct {
	Head   string // short, for a terminal
	Title  string // for a page, with its unit
	Better int    // -1: less is better, 1: more is, 0: neither
	Core   bool   // shown also where there is little room
	at     func(*measure.Summary) *float64
	text   func(float64) string
}

// Figures are the columns, in order.
var Figures = []Figure{
	{"MAKESPAN", "Makespan, s", -1, true, func(s *measure.Summary) *float64 { return &s.Makespan }, seconds},
	{"AVG JCT", "Average JCT, s", -1, true, func(s *measure.Summary) *float64 { return &s.AvgJCT }, seconds},
	{"MEDIAN", "Median JCT, s", -1, false, func(s *measure.Summary) *float64 { return &s.MedianJCT }, seconds},
	{"P99", "99 % JCT, s", -1, false, func(s *measure.Summary) *float64 { return &s.P99JCT }, seconds},
	{"QUEUE", "Average queueing, s", -1, false, func(s *measure.Summary) *float64 { return &s.AvgQueue }, seconds},
	{"WORST ρ", "Worst ρ", -1, true, func(s *measure.Summary) *float64 { return &s.WorstRho }, decimals(3)},
	{"MEAN ρ", "Mean ρ", -1, false, func(s *measure.Summary) *float64 { return &s.MeanRho }, decimals(3)},
	{"UNFAIR", "Jobs with ρ > 1.05", -1, true, func(s *measure.Summary) *float64 { return &s.Unfair }, percent},
	{"UTIL", "GPUs used", 1, true, func(s *measure.Summary) *float64 { return &s.Utilization }, percent},
	{"RESTARTS", "Restarts", -1, true, nil, decimals(0)},
	{"LOST", "Lost GPU-hours", -1, false, func(s *measure.Summary) *float64 { return &s.LostGPUHours }, decimals(1)},
	{"JAIN", "Jain index of accounts", 1, false, func(s *measure.Summary) *float64 { return &s.JainAccounts }, decimals(3)},
	{"SLOWDOWN", "Mean bounded slowdown", -1, false, func(s *measure.Summary) *float64 { return &s.Slowdown }, decimals(2)},
	{"WORST ACC", "Mean bounded slowdown of the worst account", -1, false, func(s *measure.Summary) *float64 { return &s.WorstAccount }, decimals(2)},
	{"WALL", "Simulated in, s", 0, true, func(s *measure.Summary) *float64 { return &s.Wall }, decimals(2)},
}

// Of returns the figure of a summary.
func (f *Figure) Of(s *measure.Summary) float64 {
	switch {
	case f.at != nil:
		return *f.at(s)
	case s.Restarts < 0: // not known
		return math.NaN()
	}
	return float64(s.Restarts)
}

func (f *Figure) set(s *measure.Summary, v float64) {
	if f.at == nil {
		s.Restarts = int(math.Round(v))
		return
	}
	*f.at(s) = v
}

// Text prints a value of the figure.
func (f *Figure) Text(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return "–"
	}
	return f.text(v)
}

func seconds(v float64) string { return strconv.FormatFloat(v, 'f', 1, 64) }

func decimals(n int) func(float64) string {
	return func(v float64) string { return strconv.FormatFloat(v, 'f', n, 64) }
}

func percent(v float64) string { return fmt.Sprintf("%.1f %%", 100*v) }

// Spread is what several runs of one policy came to, figure by figure.
type Spread struct {
	Median, Min, Max measure.Summary
	Runs             int
}

// NewSpread puts the summaries of one policy together.
func NewSpread(all []measure.Summary) Spread {
	s := Spread{Median: all[0], Min: all[0], Max: all[0], Runs: len(all)}
	for i := range Figures {
		f := &Figures[i]
		values := make([]float64, len(all))
		for k := range all {
			values[k] = f.Of(&all[k])
		}
		slices.Sort(values)
		f.set(&s.Median, median(values))
		f.set(&s.Min, values[0])
		f.set(&s.Max, values[len(values)-1])
	}
	return s
}

// median of sorted values.
func median(values []float64) float64 {
	n := len(values)
	if n%2 == 1 {
		return values[n/2]
	}
	return (values[n/2-1] + values[n/2]) / 2
}

// Cell prints a figure of the runs: the median, and where they differ in print
// the least and greatest.
func (s *Spread) Cell(f *Figure) string {
	mid, low, high := f.Text(f.Of(&s.Median)), f.Text(f.Of(&s.Min)), f.Text(f.Of(&s.Max))
	if low == high {
		return mid
	}
	return fmt.Sprintf("%s (%s–%s)", mid, low, high)
}
