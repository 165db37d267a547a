package nnls_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"fairbridge/policy/solve/nnls"
)

func TestSolve(t *testing.T) {
	for name, c := range map[string]struct {
		a    [][]float64
		b    []float64
		want []float64
		left float64
	}{
		"exact":                         {[][]float64{{1, 0}, {0, 2}, {1, 1}}, []float64{3, 4, 5}, []float64{3, 2}, 0},
		"one would be negative":         {[][]float64{{1, 1}, {1, 2}, {1, 3}}, []float64{3, 2, 1}, []float64{2, 0}, math.Sqrt(2)},
		"all would be":                  {[][]float64{{1}, {1}}, []float64{-1, -2}, []float64{0}, math.Sqrt(5)},
		"two columns are alike":         {[][]float64{{1, 2}, {2, 4}}, []float64{1, 2}, []float64{1, 0}, 0},
		"a column of zeros":             {[][]float64{{0, 1}, {0, 1}}, []float64{2, 2}, []float64{0, 2}, 0},
		"columns of very unequal sizes": {[][]float64{{1e9, 1e-9}, {1e9, -1e-9}}, []float64{3, 1}, []float64{2e-9, 1e9}, 0},
		"no number":                     {[][]float64{{math.NaN()}}, []float64{1}, []float64{0}, math.Inf(1)},
		"nothing":                       {nil, nil, nil, math.Inf(1)},
	} {
		x, left := nnls.Solve(c.a, c.b)
		ok := len(x) == len(c.want) && (left == c.left || math.Abs(left-c.left) < 1e-9)
		for j := range x {
			ok = ok && math.Abs(x[j]-c.want[j]) <= 1e-9*max(1, c.want[j])
		}
		if !ok {
			t.Errorf("%s: %v with %g left, want %v with %g", name, x, left, c.want, c.left)
		}
	}
}

// TestSolveIsOptimal: no unknown is negative, those that are positive cannot lessen the
// residual, and those that are 0 would only do so by becoming negative.
func TestSolveIsOptimal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, m := rapid.IntRange(1, 5).Draw(t, "unknowns"), rapid.IntRange(1, 12).Draw(t, "rows")
		a, b := make([][]float64, m), make([]float64, m)
		for i := range a {
			a[i] = rapid.SliceOfN(rapid.Float64Range(-10, 10), n, n).Draw(t, "row")
			b[i] = rapid.Float64Range(-10, 10).Draw(t, "b")
		}
		x, _ := nnls.Solve(a, b)
		for j := range x {
			slope, size := 0., 1e-30
			for i := range a {
				rest := b[i]
				for k := range x {
					rest -= a[i][k] * x[k]
				}
				slope += a[i][j] * rest
				size += math.Abs(a[i][j]) * 10
			}
			if x[j] < 0 || slope > 1e-6*size || x[j] > 0 && slope < -1e-6*size {
				t.Fatalf("x[%d] = %g, slope %g", j, x[j], slope)
			}
		}
	})
}
