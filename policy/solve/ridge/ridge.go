// Package ridge fits linear least squares that stay near a guess as long as little was measured: the
// weights w that minimise the sum of (y - w·x)² plus strength·|w - guess|² (A. E. Hoerl, R. W. Kennard,
// "Ridge Regression", Technometrics 1970). Measurements are taken in one by one, and only sums are kept.
package ridge

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// Sums are what is kept of measurements of y at x.
type Sums struct {
	Count float64   `json:"count"` // of measurements, older ones less where they were forgotten
	XX    []float64 `json:"xx"`    // sums of products of two of x, row by row; nil: of none yet
	XY    []float64 `json:"xy"`    // sums of products of x and y
}

// Add returns the sums with one more measurement, those before multiplied by keep (0 to 1). The sums
// themselves do not change. Numbers that are not finite, and another number of x than before, are left out.
func (s Sums) Add(x []float64, y, keep float64) Sums {
	n := len(x)
	if !isFinite(append([]float64{y, keep}, x...)) || s.XY != nil && len(s.XY) != n {
		return s
	}
	out := Sums{s.Count*keep + 1, make([]float64, n*n), make([]float64, n)}
	for i := range n {
		if s.XY != nil {
			out.XY[i] = s.XY[i] * keep
		}
		out.XY[i] += x[i] * y
		for k := range n {
			if s.XX != nil {
				out.XX[i*n+k] = s.XX[i*n+k] * keep
			}
			out.XX[i*n+k] += x[i] * x[k]
		}
	}
	return out
}

// Solve returns the weights, as many as there are in the guess. The strength is how many measurements
// at x = 1 the guess counts as, above 0. Without measurements, and where their sums are no numbers, it
// returns the guess.
func (s Sums) Solve(guess []float64, strength float64) []float64 {
	n := len(guess)
	out := append([]float64(nil), guess...)
	if len(s.XY) != n || len(s.XX) != n*n || !(strength > 0) {
		return out
	}
	a, b := mat.NewSymDense(n, nil), mat.NewVecDense(n, nil)
	for i := range n {
		b.SetVec(i, s.XY[i]+strength*guess[i])
		for k := i; k < n; k++ {
			a.SetSym(i, k, s.XX[i*n+k])
		}
		a.SetSym(i, i, s.XX[i*n+i]+strength)
	}
	var factors mat.Cholesky
	w := mat.NewVecDense(n, nil)
	if !factors.Factorize(a) || factors.SolveVecTo(w, b) != nil || !isFinite(w.RawVector().Data) {
		return out
	}
	return w.RawVector().Data
}

func isFinite(all []float64) bool {
	for _, v := range all {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}
