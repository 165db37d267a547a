// Package kalman keeps a belief of values that are seen through noise: their means and covariances, as
// Kalman's filter has them ("A New Approach to Linear Filtering and Prediction Problems", 1960). It is
// exact where values wander at random, readings are sums of them and all errors are normal.
package kalman

import (
	"gonum.org/v1/gonum/mat"
)

// Belief is what is known of some values. Its methods change it.
type Belief struct {
	mean *mat.VecDense
	cov  *mat.SymDense
}

// New returns the belief that the values, of which there is at least one, are about these, each with a
// variance of its own and independent of the others. Variances are 0 or more.
func New(mean, variance []float64) *Belief {
	b := &Belief{mat.NewVecDense(len(mean), append([]float64(nil), mean...)), mat.NewSymDense(len(mean), nil)}
	for i, v := range variance {
		b.cov.SetSym(i, i, v)
	}
	return b
}

// Len returns how many values there are.
func (b *Belief) Len() int { return b.mean.Len() }

// Mean returns what a value is expected to be.
func (b *Belief) Mean(i int) float64 { return b.mean.AtVec(i) }

// Covariance returns that of two values; of one with itself it is its variance.
func (b *Belief) Covariance(i, k int) float64 { return b.cov.At(i, k) }

// SetCovariance sets that of two values. The caller answers for it that such values can be.
func (b *Belief) SetCovariance(i, k int, c float64) { b.cov.SetSym(i, k, c) }

// Wander adds to the variance of a value what it may have changed by since.
func (b *Belief) Wander(i int, variance float64) { b.cov.SetSym(i, i, b.cov.At(i, i)+variance) }

// Observe takes in a reading of a sum of the values, each weighted, whose error has the variance. A fact
// that holds of the values, such as that the parts of a whole sum up to it, is a reading of small variance.
// Where neither is uncertain nothing changes.
func (b *Belief) Observe(weights []float64, reading, variance float64) {
	h := mat.NewVecDense(len(weights), weights)
	var ph mat.VecDense
	ph.MulVec(b.cov, h)
	sum := mat.Dot(h, &ph) + variance
	if !(sum > 0) {
		return
	}
	b.mean.AddScaledVec(b.mean, (reading-mat.Dot(h, b.mean))/sum, &ph)
	b.cov.SymRankOne(b.cov, -1/sum, &ph)
	for i := range b.Len() {
		if b.cov.At(i, i) < 0 { // by rounding alone
			b.cov.SetSym(i, i, 0)
		}
	}
}

// Clamp keeps the means within bounds.
func (b *Belief) Clamp(least, most float64) {
	for i := range b.Len() {
		b.mean.SetVec(i, max(least, min(b.mean.AtVec(i), most)))
	}
}
