package measure

import (
	"fmt"
	"math"
	"strconv"
)

// Metric is one column of a comparison.
type Metric struct {
	Head   string // short, for a terminal
	Title  string // for a page, with its unit
	Better int    // -1: less is better, 1: more is, 0: neither
	Core   bool   // shown also where there is little room
	field  func(*Summary) *float64
	format func(float64) string
}

// Metrics are the columns, in order.
var Metrics = []*Metric{
	{"MAKESPAN", "Makespan, s", -1, true, func(s *Summary) *float64 { return &s.Makespan }, seconds},
	{"AVG JCT", "Average JCT, s", -1, true, func(s *Summary) *float64 { return &s.AvgJCT }, seconds},
	{"MEDIAN", "Median JCT, s", -1, false, func(s *Summary) *float64 { return &s.MedianJCT }, seconds},
	{"P99", "99 % JCT, s", -1, false, func(s *Summary) *float64 { return &s.P99JCT }, seconds},
	{"QUEUE", "Average queueing, s", -1, false, func(s *Summary) *float64 { return &s.AvgQueue }, seconds},
	{"WORST ρ", "Worst ρ", -1, true, func(s *Summary) *float64 { return &s.WorstRho }, decimals(3)},
	{"MEAN ρ", "Mean ρ", -1, false, func(s *Summary) *float64 { return &s.MeanRho }, decimals(3)},
	{"UNFAIR", "Jobs with ρ > 1.05", -1, true, func(s *Summary) *float64 { return &s.Unfair }, percent},
	{"UTIL", "GPUs used", 1, true, func(s *Summary) *float64 { return &s.Utilization }, percent},
	{"RESTARTS", "Restarts", -1, true, nil, decimals(0)},
	{"LOST", "Lost GPU-hours", -1, false, func(s *Summary) *float64 { return &s.LostGPUHours }, decimals(1)},
	{"JAIN", "Jain index of accounts", 1, false, func(s *Summary) *float64 { return &s.JainAccounts }, decimals(3)},
	{"SLOWDOWN", "Mean bounded slowdown", -1, false, func(s *Summary) *float64 { return &s.Slowdown }, decimals(2)},
	{"WORST ACC", "Mean bounded slowdown of the worst account", -1, false, func(s *Summary) *float64 { return &s.WorstAccount }, decimals(2)},
	{"WALL", "Simulated in, s", 0, true, func(s *Summary) *float64 { return &s.Wall }, decimals(2)},
}

// Of returns the metric of a summary.
func (f *Metric) Of(s *Summary) float64 {
	switch {
	case f.field != nil:
		return *f.field(s)
	case s.Restarts < 0: // not known
		return math.NaN()
	}
	return float64(s.Restarts)
}

func (f *Metric) set(s *Summary, v float64) {
	if f.field == nil {
		s.Restarts = int(math.Round(v))
		return
	}
	*f.field(s) = v
}

// Text prints a value of the metric.
func (f *Metric) Text(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return "–"
	}
	return f.format(v)
}

func seconds(v float64) string { return strconv.FormatFloat(v, 'f', 1, 64) }

func decimals(n int) func(float64) string {
	return func(v float64) string { return strconv.FormatFloat(v, 'f', n, 64) }
}

func percent(v float64) string { return fmt.Sprintf("%.1f %%", 100*v) }
