// Package gaussian says what a few noisy measurements tell of a function everywhere else: a Gaussian
// process (Rasmussen and Williams, "Gaussian Processes for Machine Learning", 2006), and where it is best
// measured next to find its largest value, by expected improvement (Jones, Schonlau, Welch, Journal of Global Optimization 1998).
package gaussian

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Kernel says how functions are thought to be before anything is measured: around 0, the smoother the
// longer, by the squared exponential of distance.
type Kernel struct {
	Length float64 // distance by which values come to differ
	Sigma  float64 // standard deviation of values
	Noise  float64 // standard error of a measurement
}

func (k Kernel) covariance(a, b float64) float64 {
	d := (a - b) / k.Length
	return k.Sigma * k.Sigma * math.Exp(-d*d/2)
}

// leastVariance stands for 0, by which nothing can be divided.
const leastVariance = 1e-12

// Process is what is known of a function.
type Process struct {
	kernel Kernel
	xs, ys []float64
	chol   mat.Cholesky
	alpha  mat.VecDense // covariance⁻¹ · ys
}

// Fit takes in measurements, as many values as places. There may be none. An error says that they contradict each other: two of
// one place without noise.
func Fit(k Kernel, xs, ys []float64) (*Process, error) {
	p := &Process{kernel: k, xs: xs, ys: ys}
	if len(xs) == 0 {
		return p, nil
	}
	cov := mat.NewSymDense(len(xs), nil)
	for i, a := range xs {
		for j, b := range xs[:i] {
			cov.SetSym(i, j, k.covariance(a, b))
		}
		cov.SetSym(i, i, k.covariance(a, a)+k.Noise*k.Noise+leastVariance)
	}
	if !p.chol.Factorize(cov) {
		return nil, fmt.Errorf("fitting a Gaussian process to %d measurements: their covariance is not positive", len(xs))
	}
	if err := p.chol.SolveVecTo(&p.alpha, mat.NewVecDense(len(ys), ys)); err != nil {
		return nil, fmt.Errorf("fitting a Gaussian process to %d measurements: %w", len(xs), err)
	}
	return p, nil
}

// At returns what the function is expected to be at a place, and its standard error.
func (p *Process) At(x float64) (mean, sigma float64) {
	variance := p.kernel.covariance(x, x)
	if n := len(p.xs); n > 0 {
		k := mat.NewVecDense(n, nil)
		for i, a := range p.xs {
			k.SetVec(i, p.kernel.covariance(x, a))
		}
		mean = mat.Dot(k, &p.alpha)
		var solved mat.VecDense
		if err := p.chol.SolveVecTo(&solved, k); err == nil {
			variance -= mat.Dot(k, &solved)
		}
	}
	return mean, math.Sqrt(max(variance, leastVariance))
}

// LogLikelihood is how likely the measurements are, as a logarithm, up to a constant for as many.
func (p *Process) LogLikelihood() float64 {
	if len(p.xs) == 0 {
		return 0
	}
	return -mat.Dot(mat.NewVecDense(len(p.ys), p.ys), &p.alpha)/2 - p.chol.LogDet()/2
}

// ExpectedImprovement returns by how much a value is expected to be above the best so far and a margin, counting 0 where
// it is not. It is 0 or more.
func ExpectedImprovement(mean, sigma, best, margin float64) float64 {
	over := mean - best - margin
	if sigma <= math.Sqrt(2*leastVariance) {
		return max(over, 0)
	}
	z := over / sigma
	return max(over*distuv.UnitNormal.CDF(z)+sigma*distuv.UnitNormal.Prob(z), 0)
}
