// Package ridge fits linear least squares that stay near a guess as long as little was measured: the
// weights w that minimise the sum of (y - w·x)² plus strength·|w - guess|² (A. E. Hoerl, R. W. Kennard,
// "Ridge Regression", Technometrics 1970). Measurements are taken in one by one, and only sums are kept.
package ridge

import (
	"fmt"
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
// themselves do not change. What x has more than those before counts as 0 there, and the other way round.
// Numbers that are not finite are left out.
func (s Sums) Add(x []float64, y, keep float64) Sums {
	if !isFinite([]float64{y, keep}) || !isFinite(x) {
		return s
	}
	out := s.resized(max(len(x), len(s.XY)))
	n := len(out.XY)
	out.Count = s.Count*keep + 1
	for i := range n {
		out.XY[i] *= keep
		for k := range n {
			out.XX[i*n+k] *= keep
		}
	}
	for i, v := range x {
		out.XY[i] += v * y
		for k, w := range x {
			out.XX[i*n+k] += v * w
		}
	}
	return out
}

// resized returns a copy for so many weights, at least as many as before.
func (s Sums) resized(n int) Sums {
	out, was := Sums{s.Count, make([]float64, n*n), make([]float64, n)}, len(s.XY)
	copy(out.XY, s.XY)
	for i := range was {
		copy(out.XX[i*n:i*n+was], s.XX[i*was:(i+1)*was])
	}
	return out
}

// Check says what is wrong with sums that were read.
func (s Sums) Check() error {
	if len(s.XX) != len(s.XY)*len(s.XY) || !isFinite(s.XX) || !isFinite(s.XY) || !isFinite([]float64{s.Count}) {
		return fmt.Errorf("%d sums of products for %d weights, or some that are no numbers", len(s.XX), len(s.XY))
	}
	return nil
}

// Solve returns the weights, as many as there are in the guess. The strength is how many measurements
// at x = 1 the guess counts as, above 0. Without measurements, with fewer guesses than there are weights, and where
// the sums are no numbers, it returns the guess.
func (s Sums) Solve(guess []float64, strength float64) []float64 {
	n := len(guess)
	out := append([]float64(nil), guess...)
	if len(s.XY) == 0 || len(s.XY) > n || s.Check() != nil || !(strength > 0) {
		return out
	}
	s = s.resized(n)
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
