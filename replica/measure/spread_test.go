package measure

import (
	"testing"
)

func TestSpread(t *testing.T) {
	s := NewSummarySpread([]Summary{{Policy: "p", Makespan: 30, RestartCount: 2}, {Policy: "p", Makespan: 10, RestartCount: 9}, {Policy: "p", Makespan: 20, RestartCount: 4}})
	if s.Median.Makespan != 20 || s.Min.Makespan != 10 || s.Max.Makespan != 30 || s.Median.RestartCount != 4 || s.RunCount != 3 {
		t.Errorf("%+v", s)
	}
	if got := s.FormatCell(AllMetrics[0]); got != "20.0 (10.0–30.0)" {
		t.Errorf("cell %q", got)
	}
	even := NewSummarySpread([]Summary{{Makespan: 10}, {Makespan: 20}})
	if got := even.FormatCell(AllMetrics[0]); got != "15.0 (10.0–20.0)" {
		t.Errorf("cell %q", got)
	}
	one := NewSummarySpread([]Summary{{Makespan: 10}})
	if got := one.FormatCell(AllMetrics[0]); got != "10.0" {
		t.Errorf("cell %q", got)
	}
}
