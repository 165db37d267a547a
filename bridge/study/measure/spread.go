package measure

import (
	"fmt"
	"slices"
)

// Spread is what several runs of one policy came to, metric by metric.
type Spread struct {
	Median, Min, Max Summary
	Count            int // of runs
}

// NewSpread puts the summaries of one policy together.
func NewSpread(all []Summary) Spread {
	s := Spread{Median: all[0], Min: all[0], Max: all[0], Count: len(all)}
	for _, m := range Metrics {
		values := make([]float64, len(all))
		for k := range all {
			values[k] = m.Of(&all[k])
		}
		slices.Sort(values)
		m.set(&s.Median, Median(values))
		m.set(&s.Min, values[0])
		m.set(&s.Max, values[len(values)-1])
	}
	return s
}

// Cell prints a metric of the runs: the median, and where they differ in print
// the least and greatest.
func (s *Spread) Cell(m *Metric) string {
	mid, low, high := m.Text(m.Of(&s.Median)), m.Text(m.Of(&s.Min)), m.Text(m.Of(&s.Max))
	if low == high {
		return mid
	}
	return fmt.Sprintf("%s (%s–%s)", mid, low, high)
}
