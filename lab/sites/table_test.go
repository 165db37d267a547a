package sites

import (
	"math"
	"testing"
)

// TestCells works out a mean and a geometric mean, each with the error of a mean of so few.
func TestCells(t *testing.T) {
	for name, c := range map[string]struct {
		values    []float64
		areRatios bool
		want      cell
	}{
		"mean":           {[]float64{1, 3, math.NaN()}, false, cell{2, 1}},
		"geometric mean": {[]float64{.5, 2}, true, cell{1, math.Ln2}},
		"one":            {[]float64{.25}, true, cell{.25, 0}},
		"none":           {nil, false, cell{math.NaN(), math.NaN()}},
	} {
		got := newCell(c.values, c.areRatios)
		isSame := func(a, b float64) bool { return math.Abs(a-b) < 1e-12 || math.IsNaN(a) && math.IsNaN(b) }
		if !isSame(got.value, c.want.value) || !isSame(got.standardError, c.want.standardError) {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}
