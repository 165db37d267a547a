package measure

import (
	"fmt"
	"slices"
)

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
