package descent_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"fairbridge/policy/solve/descent"
)

func TestLeastSquares(t *testing.T) {
	for name, c := range map[string]struct {
		a    [][]float64
		b    []float64
		want []float64
	}{
		"exact":                         {[][]float64{{1, 0}, {0, 2}, {1, 1}}, []float64{3, 4, 5}, []float64{3, 2}},
		"one would be negative":         {[][]float64{{1, 1}, {1, 2}, {1, 3}}, []float64{3, 2, 1}, []float64{2, 0}},
		"all would be":                  {[][]float64{{1}, {1}}, []float64{-1, -2}, []float64{0}},
		"a column of zeros":             {[][]float64{{0, 1}, {0, 1}}, []float64{2, 2}, []float64{0, 2}},
		"columns of very unequal sizes": {[][]float64{{1e9, 1e-9}, {1e9, -1e-9}}, []float64{3, 1}, []float64{2e-9, 1e9}},
		"no number":                     {[][]float64{{math.NaN()}}, []float64{1}, []float64{0}},
		"infinity":                      {[][]float64{{math.Inf(1), 1}, {2, 1}}, []float64{1, 1}, []float64{0, 0}},
	} {
		x := descent.LeastSquares(c.a, c.b)
		for j := range x {
			if !(math.Abs(x[j]-c.want[j]) <= 1e-6*max(1, c.want[j])) {
				t.Errorf("%s: %v, want %v", name, x, c.want)
				break
			}
		}
	}
}

// TestLeastSquaresAreLeast: no unknown is negative, those that are positive cannot lessen the
// residual, and those that are 0 would only do so by becoming negative.
func TestLeastSquaresAreLeast(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, m := rapid.IntRange(1, 5).Draw(t, "unknowns"), rapid.IntRange(1, 12).Draw(t, "rows")
		a, b := make([][]float64, m), make([]float64, m)
		number := rapid.Map(rapid.IntRange(-1000, 1000), func(k int) float64 { return float64(k) / 100 })
		for i := range a {
			a[i], b[i] = rapid.SliceOfN(number, n, n).Draw(t, "row"), number.Draw(t, "b")
		}
		x := descent.LeastSquares(a, b)
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
			if x[j] < 0 || slope > 1e-5*size || x[j] > 1e-9 && slope < -1e-5*size {
				t.Fatalf("x[%d] = %g, slope %g", j, x[j], slope)
			}
		}
	})
}
