package workload_test

import (
	"math"
	"testing"

	"fairbridge/replica/workload"
)

// TestLossReports: losses are reported each two hundredth of the work, the first before any.
func TestLossReports(t *testing.T) {
	for _, c := range []workload.LossCurve{{Floor: 1, Range: 4, Linear: 3}, {Floor: 1, Range: 4, Decay: .25}} {
		first := c.AppendReports(nil, 0, 1000)
		if len(first) != 1 || first[0].Loss != 5 {
			t.Errorf("at first %v, want 5", first)
		}
		half := c.AppendReports(first, 502, 1000)
		if n := len(half); n != 101 || half[n-1].Step != 500 {
			t.Errorf("half way %d losses", n)
		}
		all := c.AppendReports(half, 1000, 1000)
		if n := len(all); n != 201 || math.Abs(all[n-1].Loss-2) > 1e-12 {
			t.Errorf("in the end %v", all[len(all)-1])
		}
		if again := c.AppendReports(all, 1000, 1000); len(again) != 201 {
			t.Errorf("%d", len(again))
		}
	}
}
