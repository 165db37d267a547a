// Package descent minimises a smooth function of a few bounded variables: projected BFGS with
// a line search that halves (Bertsekas, "Projected Newton methods for optimization problems
// with simple constraints", 1982).
package descent

import (
	"math"
)

// Function returns its value at x and writes its gradient there.
type Function func(x, gradient []float64) float64

// Limits of the search.
const (
	mostSteps     = 200
	mostHalvings  = 40
	leastDecrease = 1e-10 // of the value in a step, relative; two such steps in a row end the search
	sufficient    = 1e-4  // of the decrease that the gradient promises (Armijo)
)

// Minimize returns a local minimum of f within lower <= x <= upper, searched from start, and
// the value there. f is asked only within the bounds; what is not a number counts as
// worse than any value. The slices given are left as they are.
func Minimize(f Function, start, lower, upper []float64) (x []float64, value float64) {
	n := len(start)
	s := &search{f: f, lower: lower, upper: upper, x: make([]float64, n), gradient: make([]float64, n), curvature: identity(n)}
	for i := range start {
		s.x[i] = min(max(start[i], lower[i]), upper[i])
	}
	s.value = f(s.x, s.gradient)
	for step, small := 0, 0; step < mostSteps && small < 2; step++ {
		before := s.value
		if !s.step() {
			if !s.reset {
				break
			}
			s.curvature, s.reset = identity(n), false // once more, straight down
			continue
		}
		small++
		if before-s.value > leastDecrease*max(math.Abs(before), leastDecrease) {
			small = 0
		}
	}
	return s.x, s.value
}

// search is a search under way.
type search struct {
	f            Function
	lower, upper []float64
	x, gradient  []float64
	value        float64
	curvature    [][]float64 // estimate of the second derivatives, positive definite
	reset        bool        // the curvature has learnt something since it was the identity
}

// step goes to a better point along the projected direction; false: it finds none.
func (s *search) step() bool {
	free := s.freeVariables()
	direction := solvePositive(s.curvature, s.gradient, free)
	for scale, k := 1., 0; k < mostHalvings; scale, k = scale/2, k+1 {
		next, promised := make([]float64, len(s.x)), 0.
		for i := range next {
			next[i] = min(max(s.x[i]-scale*direction[i], s.lower[i]), s.upper[i])
			promised += s.gradient[i] * (s.x[i] - next[i])
		}
		gradient := make([]float64, len(s.x))
		if value := s.f(next, gradient); promised > 0 && value <= s.value-sufficient*promised && value < s.value {
			s.learnCurvature(next, gradient)
			s.x, s.gradient, s.value, s.reset = next, gradient, value, true
			return true
		}
	}
	return false
}

// freeVariables are those that no bound keeps from going down the gradient.
func (s *search) freeVariables() []int {
	var free []int
	for i, g := range s.gradient {
		if (g > 0 && s.x[i] > s.lower[i]) || (g < 0 && s.x[i] < s.upper[i]) {
			free = append(free, i)
		}
	}
	return free
}

// learnCurvature is the damped update of Powell, which keeps the estimate positive definite.
func (s *search) learnCurvature(next, gradient []float64) {
	n := len(next)
	dx, dg, bx := make([]float64, n), make([]float64, n), make([]float64, n)
	xg, xbx := 0., 0.
	for i := range next {
		dx[i], dg[i] = next[i]-s.x[i], gradient[i]-s.gradient[i]
		xg += dx[i] * dg[i]
	}
	for i := range bx {
		for j := range dx {
			bx[i] += s.curvature[i][j] * dx[j]
		}
		xbx += dx[i] * bx[i]
	}
	if xbx <= 0 {
		return
	}
	damped := 1.
	if xg < .2*xbx {
		damped = .8 * xbx / (xbx - xg)
	}
	xr := damped*xg + (1-damped)*xbx
	for i := range bx {
		for j := range bx {
			ri, rj := damped*dg[i]+(1-damped)*bx[i], damped*dg[j]+(1-damped)*bx[j]
			s.curvature[i][j] += ri*rj/xr - bx[i]*bx[j]/xbx
		}
	}
}

func identity(n int) [][]float64 {
	a := make([][]float64, n)
	for i := range a {
		a[i] = make([]float64, n)
		a[i][i] = 1
	}
	return a
}

// solvePositive solves a*x = b for the free variables, the others being 0, by Cholesky's
// decomposition. Where a is not positive definite x is b, the way straight down.
func solvePositive(a [][]float64, b []float64, free []int) []float64 {
	x, n := make([]float64, len(b)), len(free)
	root, y := identity(n), make([]float64, n)
	for i := range n {
		for j := range i + 1 {
			sum := a[free[i]][free[j]]
			for k := range j {
				sum -= root[i][k] * root[j][k]
			}
			switch {
			case i != j:
				root[i][j] = sum / root[j][j]
			case sum > 0:
				root[i][i] = math.Sqrt(sum)
			default:
				for _, f := range free {
					x[f] = b[f]
				}
				return x
			}
		}
	}
	for i := range n {
		y[i] = b[free[i]]
		for k := range i {
			y[i] -= root[i][k] * y[k]
		}
		y[i] /= root[i][i]
	}
	for i := n - 1; i >= 0; i-- {
		for k := i + 1; k < n; k++ {
			y[i] -= root[k][i] * y[k]
		}
		y[i] /= root[i][i]
		x[free[i]] = y[i]
	}
	return x
}

// searches is how often LeastSquares searches on from where it came to: a search may end early beside a bound, where one
// that begins there goes straight down.
const searches = 3

// LeastSquares returns the x >= 0 for which |Ax - b| is the least. Every row of a, of which there is one at least, has
// as many numbers as there are unknowns. Numbers that are not finite give zeros.
func LeastSquares(a [][]float64, b []float64) []float64 {
	n := len(a[0])
	scales, most := make([]float64, n), make([]float64, n) // columns of length 1 make the search short
	for j := range scales {
		for i := range a {
			scales[j] = math.Hypot(scales[j], a[i][j])
		}
		if scales[j] == 0 {
			scales[j] = 1
		}
		most[j] = math.Inf(1)
	}
	distance := func(x, gradient []float64) (sum float64) {
		clear(gradient)
		for i, row := range a {
			rest := -b[i]
			for j, v := range row {
				rest += v / scales[j] * x[j]
			}
			sum += rest * rest
			for j, v := range row {
				gradient[j] += 2 * rest * v / scales[j]
			}
		}
		return sum
	}
	x, none := make([]float64, n), make([]float64, n)
	for range searches {
		x, _ = Minimize(distance, x, none, most)
	}
	for j := range x {
		if x[j] > 0 { // otherwise the length may be no number
			x[j] /= scales[j]
		}
	}
	return x
}
