// Package losscurve fits the two kinds of curves by which training losses fall, so that the
// next losses can be foretold: Zhang, Stafman, Or, Freedman, "SLAQ: Quality-Driven Scheduling
// for Distributed Machine Learning", SoCC 2017.
package losscurve

import (
	"math"
)

// Point is a loss after so many steps.
type Point struct{ Step, Loss float64 }

// Curve is a fitted loss. The zero Curve is 1/0, and of no use.
type Curve struct {
	// Quadratic, Linear and Constant are a, b and c of 1/(a*k^2+b*k+c)+Floor, for methods that
	// converge sublinearly; all are 0 for one that converges linearly.
	Quadratic, Linear, Constant float64
	// Scale and Ratio are those of Scale*Ratio^k+Floor.
	Scale, Ratio float64
	Floor        float64 // what the loss falls to in the end
	SquaredError float64 // weighted, mean, in units of loss squared
	origin       float64 // the step at which k is 0
	span         float64 // the steps for which k is 1
}

// At returns the loss after so many steps.
func (c Curve) At(step float64) float64 {
	k := (step - c.origin) / c.span
	if c.Scale > 0 {
		return c.Floor + c.Scale*math.Pow(c.Ratio, k)
	}
	return c.Floor + 1/(c.Quadratic*k*k+c.Linear*k+c.Constant)
}

// LeastPoints are the points that a fit takes at least.
const LeastPoints = 4

// forget is the weight of a point relative to that of the next: what happened long ago says
// less of what comes.
const forget = .85

// mostPoints are the last points that are looked at; those before weigh next to nothing.
const mostPoints = 32

// Floors are looked for below the least loss, at most so many times as far as the losses
// spread, and not below 0 where no loss is: floorTries that are each by a factor nearer, and
// then so many steps of halving around the best.
const (
	farthestFloor = 10.
	nearestFloor  = 1e-4
	floorTries    = 24
	refinements   = 10
)

// Fit fits both kinds of curves to points, ascending by step, and returns the better one; ok
// is false where there are too few, they do not fall, or a value is no number.
func Fit(points []Point) (best Curve, ok bool) {
	if len(points) > mostPoints {
		points = points[len(points)-mostPoints:]
	}
	least, most := math.Inf(1), math.Inf(-1)
	for i, p := range points {
		if math.IsNaN(p.Loss+p.Step) || math.IsInf(p.Loss+p.Step, 0) || i > 0 && p.Step <= points[i-1].Step {
			return Curve{}, false
		}
		least, most = min(least, p.Loss), max(most, p.Loss)
	}
	if len(points) < LeastPoints || points[0].Loss <= points[len(points)-1].Loss {
		return Curve{}, false
	}
	f := fitter{points: points, origin: points[0].Step, span: points[len(points)-1].Step - points[0].Step, least: least, spread: most - least}
	best.SquaredError = math.Inf(1)
	for _, kind := range []fitKind{fitSublinear, fitLinear} {
		if c, fits := f.searchFloor(kind); fits && c.SquaredError < best.SquaredError {
			best, ok = c, true
		}
	}
	return best, ok
}

// fitKind fits one kind of curve with a floor.
type fitKind func(points []Point, origin, span, floor float64) (Curve, bool)

// fitter looks for the floor of curves.
type fitter struct {
	points                      []Point
	origin, span, least, spread float64
}

// try fits a curve whose floor is so many times the spread below the least loss.
func (f *fitter) try(kind fitKind, gap float64) Curve {
	floor := f.least - gap*f.spread
	if f.least >= 0 {
		floor = max(floor, 0)
	}
	c, ok := kind(f.points, f.origin, f.span, floor)
	if !ok {
		c.SquaredError = math.Inf(1)
	}
	return c
}

// searchFloor returns the best curve of a kind.
func (f *fitter) searchFloor(kind fitKind) (Curve, bool) {
	best, at := Curve{SquaredError: math.Inf(1)}, 0.
	step := math.Pow(farthestFloor/nearestFloor, 1./(floorTries-1))
	consider := func(gap float64) {
		if c := f.try(kind, gap); c.SquaredError < best.SquaredError {
			best, at = c, gap
		}
	}
	for gap := farthestFloor; gap > nearestFloor*.99; gap /= step {
		consider(gap)
	}
	for range refinements {
		step = math.Sqrt(step)
		middle := at
		consider(middle * step)
		consider(middle / step)
	}
	return best, !math.IsInf(best.SquaredError, 0)
}

// withError works out how far a curve is off.
func (c Curve) withError(points []Point) (Curve, bool) {
	sum, weights, w := 0.0, 0.0, 1.0
	for i := len(points) - 1; i >= 0; i-- {
		off := c.At(points[i].Step) - points[i].Loss
		sum, weights, w = sum+w*off*off, weights+w, w*forget
	}
	c.SquaredError = sum / weights
	return c, !math.IsNaN(c.SquaredError) && !math.IsInf(c.SquaredError, 0)
}

// fitLinear fits Scale*Ratio^k by the logarithms, weighted so that errors count as losses.
func fitLinear(points []Point, origin, span, floor float64) (Curve, bool) {
	var s, sx, sy, sxx, sxy float64
	w := 1.0
	for i := len(points) - 1; i >= 0; i-- {
		x, y := (points[i].Step-origin)/span, points[i].Loss-floor
		if y <= 0 {
			return Curve{}, false
		}
		v, l := w*y*y, math.Log(y)
		s, sx, sy, sxx, sxy = s+v, sx+v*x, sy+v*l, sxx+v*x*x, sxy+v*x*l
		w *= forget
	}
	det := s*sxx - sx*sx
	if det <= 1e-12*s*sxx {
		return Curve{}, false
	}
	slope := (s*sxy - sx*sy) / det
	c := Curve{Scale: math.Exp((sy - slope*sx) / s), Ratio: math.Exp(slope), Floor: floor, origin: origin, span: span}
	if slope >= 0 || c.Scale <= 0 {
		return Curve{}, false
	}
	return c.withError(points)
}

// moments are the sums of a weighted least-squares problem in 1, k and k^2.
type moments struct {
	gram  [3][3]float64
	right [3]float64
}

// fitSublinear fits 1/(a*k^2+b*k+c) by its reciprocal, in which a, b and c are linear, none of
// them negative. Weights make errors count as losses.
func fitSublinear(points []Point, origin, span, floor float64) (Curve, bool) {
	var m moments
	w := 1.0
	for i := len(points) - 1; i >= 0; i-- {
		k, y := (points[i].Step-origin)/span, points[i].Loss-floor
		if y <= 0 {
			return Curve{}, false
		}
		m.add([3]float64{1, k, k * k}, 1/y, w*y*y*y*y)
		w *= forget
	}
	best, ok := Curve{SquaredError: math.Inf(1)}, false
	// With three unknowns every choice of those that are 0 can be tried; c never is.
	for _, free := range [][]int{{0, 1, 2}, {0, 1}, {0, 2}} {
		x, solved := m.solve(free)
		if !solved || x[0] <= 0 || x[1] < 0 || x[2] < 0 || x[1]+x[2] <= 0 {
			continue
		}
		c, fits := Curve{Quadratic: x[2], Linear: x[1], Constant: x[0], Floor: floor, origin: origin, span: span}.withError(points)
		if fits && c.SquaredError < best.SquaredError {
			best, ok = c, true
		}
	}
	return best, ok
}

func (m *moments) add(x [3]float64, y, weight float64) {
	for i := range x {
		m.right[i] += weight * x[i] * y
		for j := range x {
			m.gram[i][j] += weight * x[i] * x[j]
		}
	}
}

// solve returns the solution in which the unknowns that are not free are 0, by elimination; ok
// is false where there is none or many.
func (m *moments) solve(free []int) (x [3]float64, ok bool) {
	n := len(free)
	var a [3][4]float64
	for i, p := range free {
		for j, q := range free {
			a[i][j] = m.gram[p][q]
		}
		a[i][n] = m.right[p]
	}
	for i := range n {
		top := i
		for r := i + 1; r < n; r++ {
			if math.Abs(a[r][i]) > math.Abs(a[top][i]) {
				top = r
			}
		}
		a[i], a[top] = a[top], a[i]
		if math.Abs(a[i][i]) <= 1e-12*m.gram[free[i]][free[i]] {
			return x, false
		}
		for r := range n {
			if factor := a[r][i] / a[i][i]; r != i {
				for c := i; c <= n; c++ {
					a[r][c] -= factor * a[i][c]
				}
			}
		}
	}
	for i, p := range free {
		x[p] = a[i][n] / a[i][i]
	}
	return x, true
}
