package measure

import (
	"fmt"
	"math"
	"slices"
	"strconv"
)

// Metric is one column of a comparison.
type Metric struct {
	ColumnHead      string // short, for a terminal
	Title           string // for a page, with its unit
	BetterDirection int    // -1: less is better, 1: more is, 0: neither
	IsCore          bool   // shown also where there is little room; see IsShownNarrow
	summaryField    func(*Summary) *float64
	formatNumber    func(float64) string
}

// AllMetrics are the columns, in order.
var AllMetrics = []*Metric{
	{"MAKESPAN", "Makespan, s", -1, true, func(s *Summary) *float64 { return &s.Makespan }, formatSeconds},
	{"AVG JCT", "Average JCT, s", -1, true, func(s *Summary) *float64 { return &s.AvgJCT }, formatSeconds},
	{"MKSP>LB", "Makespan above the lower bound", -1, true, func(s *Summary) *float64 { return &s.MakespanOverBound }, formatOverBound},
	{"JCT>LB", "Average JCT above the lower bound", -1, true, func(s *Summary) *float64 { return &s.AvgJCTOverBound }, formatOverBound},
	{"MEDIAN", "Median JCT, s", -1, false, func(s *Summary) *float64 { return &s.MedianJCT }, formatSeconds},
	{"P99", "99 % JCT, s", -1, false, func(s *Summary) *float64 { return &s.P99JCT }, formatSeconds},
	{"QUEUE", "Average queueing, s", -1, false, func(s *Summary) *float64 { return &s.AvgQueueSeconds }, formatSeconds},
	{"WORST ρ", "Worst ρ", -1, true, func(s *Summary) *float64 { return &s.WorstRho }, formatDecimals(3)},
	{"MEAN ρ", "Mean ρ", -1, false, func(s *Summary) *float64 { return &s.MeanRho }, formatDecimals(3)},
	{"WORST ρ'", "Worst ρ by jobs present", -1, false, func(s *Summary) *float64 { return &s.WorstPresentRho }, formatDecimals(3)},
	{"MEAN ρ'", "Mean ρ by jobs present", -1, false, func(s *Summary) *float64 { return &s.MeanPresentRho }, formatDecimals(3)},
	{"UNFAIR", "Jobs with ρ > 1.05", -1, true, func(s *Summary) *float64 { return &s.UnfairShare }, formatPercent},
	{"UTIL", "GPUs used", 1, true, func(s *Summary) *float64 { return &s.Utilization }, formatPercent},
	{"RESTARTS", "Restarts", -1, true, nil, formatDecimals(0)},
	{"LOST", "Lost GPU-hours", -1, false, func(s *Summary) *float64 { return &s.LostGPUHours }, formatDecimals(1)},
	{"SLOWDOWN", "Mean bounded slowdown", -1, false, func(s *Summary) *float64 { return &s.MeanSlowdown }, formatDecimals(2)},
	{"WORST ACC", "Mean bounded slowdown of the worst account", -1, false, func(s *Summary) *float64 { return &s.WorstAccountSlowdown }, formatDecimals(2)},
	{"PRED ERR", "Mean error of the completion time predicted at arrival", -1, true, func(s *Summary) *float64 { return &s.MeanPredictionError }, formatOverBound},
	{"P99 ERR", "99 % error of the completion time predicted at arrival", -1, true, func(s *Summary) *float64 { return &s.P99PredictionError }, formatOverBound},
	{"UNUSABLE", "GPUs free where no waiting job could use them", -1, false, func(s *Summary) *float64 { return &s.UnusableShare }, formatOverBound},
	{"BLOCKED", "GPUs waited for while as many were free, on average", -1, false, func(s *Summary) *float64 { return &s.MeanBlockedGPUs }, formatKnown},
	{"WALL", "Simulated in, s", 0, true, func(s *Summary) *float64 { return &s.WallSeconds }, formatDecimals(2)},
}

// plainCore are core metrics where jobs are plain ones, in place of ρ by all jobs of the workload,
// which says little of workloads of days.
var plainCore = map[string]bool{"WORST ρ": false, "UNFAIR": false, "WORST ρ'": true, "SLOWDOWN": true}

// IsShownNarrow reports whether it is shown also where there is little room, of plain jobs or of
// training jobs.
func (f *Metric) IsShownNarrow(arePlain bool) bool {
	if shown, differs := plainCore[f.ColumnHead]; arePlain && differs {
		return shown
	}
	return f.IsCore
}

// ValueOf returns the metric of a summary.
func (f *Metric) ValueOf(s *Summary) float64 {
	switch {
	case f.summaryField != nil:
		return *f.summaryField(s)
	case s.RestartCount < 0: // not known
		return math.NaN()
	}
	return float64(s.RestartCount)
}

func (f *Metric) setValue(s *Summary, v float64) {
	if f.summaryField == nil {
		s.RestartCount = int(math.Round(v))
		return
	}
	*f.summaryField(s) = v
}

// FormatValue prints a value of the metric.
func (f *Metric) FormatValue(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return "–"
	}
	return f.formatNumber(v)
}

func formatSeconds(v float64) string { return strconv.FormatFloat(v, 'f', 1, 64) }

func formatDecimals(n int) func(float64) string {
	return func(v float64) string { return strconv.FormatFloat(v, 'f', n, 64) }
}

func formatPercent(v float64) string { return fmt.Sprintf("%.1f %%", 100*v) }

// formatOverBound prints by how much a figure is above a bound; -1: there is none.
func formatOverBound(v float64) string {
	if v <= -1 {
		return "–"
	}
	return fmt.Sprintf("%.1f %%", max(100*v, 0))
}

// formatKnown prints a figure that is not known where it is negative.
func formatKnown(v float64) string {
	if v < 0 {
		return "–"
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}

// SummarySpread is what several runs of one policy came to, metric by metric.
type SummarySpread struct {
	Median, Min, Max Summary
	RunCount         int // of runs
}

// NewSummarySpread puts the summaries of one policy together.
func NewSummarySpread(all []Summary) SummarySpread {
	s := SummarySpread{Median: all[0], Min: all[0], Max: all[0], RunCount: len(all)}
	for _, m := range AllMetrics {
		values := make([]float64, len(all))
		for k := range all {
			values[k] = m.ValueOf(&all[k])
		}
		slices.Sort(values)
		m.setValue(&s.Median, Median(values))
		m.setValue(&s.Min, values[0])
		m.setValue(&s.Max, values[len(values)-1])
	}
	return s
}

// FormatCell prints a metric of the runs: the median, and where they differ in print
// the least and greatest.
func (s *SummarySpread) FormatCell(m *Metric) string {
	mid, low, high := m.FormatValue(m.ValueOf(&s.Median)), m.FormatValue(m.ValueOf(&s.Min)), m.FormatValue(m.ValueOf(&s.Max))
	if low == high {
		return mid
	}
	return fmt.Sprintf("%s (%s–%s)", mid, low, high)
}
