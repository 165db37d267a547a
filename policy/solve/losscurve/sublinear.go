package losscurve

import (
	"math"
)

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
