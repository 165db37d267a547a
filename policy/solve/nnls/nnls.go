// Package nnls solves least squares with unknowns that must not be negative (C. L. Lawson,
// R. J. Hanson, "Solving Least Squares Problems", 1974, chapter 23).
package nnls

import (
	"math"
	"slices"
)

// negligible is which part of a column's length may be left of it without counting as its own
// direction, and by how much a gradient must be positive, relative, to be worth a step.
const negligible = 1e-11

// Solve returns the x >= 0 for which |Ax - b| is the least, and that length. Every row of a has
// as many numbers as there are unknowns. A column that others make up gets 0. Numbers that are
// not finite give zeros and +Inf.
func Solve(a [][]float64, b []float64) (x []float64, residual float64) {
	p := newProblem(a, b)
	if p == nil {
		n := 0
		if len(a) > 0 {
			n = len(a[0])
		}
		return make([]float64, n), math.Inf(1)
	}
	x = make([]float64, len(p.columns))
	var free []int                   // columns that may be positive
	for range 3*len(p.columns) + 1 { // each turn lessens the residual; the bound is for rounding
		gradient := p.gradient(x)
		best := -1
		for j := range x {
			if !slices.Contains(free, j) && gradient[j] > negligible*p.length && (best < 0 || gradient[j] > gradient[best]) {
				best = j
			}
		}
		if best < 0 {
			break
		}
		free = append(free, best)
		free = p.descend(x, free)
	}
	residual = length(p.residual(x))
	for j := range x {
		x[j] /= p.scales[j]
	}
	return x, residual
}

// problem has columns of length 1.
type problem struct {
	columns [][]float64
	scales  []float64 // by which they were divided
	b       []float64
	length  float64 // of b
}

func newProblem(a [][]float64, b []float64) *problem {
	if len(a) == 0 || len(a) != len(b) {
		return nil
	}
	p := &problem{columns: make([][]float64, len(a[0])), scales: make([]float64, len(a[0])), b: b, length: length(b)}
	for j := range p.columns {
		p.columns[j] = make([]float64, len(a))
		for i := range a {
			p.columns[j][i] = a[i][j]
		}
		p.scales[j] = length(p.columns[j])
		if p.scales[j] == 0 {
			p.scales[j] = 1
		}
		if math.IsNaN(p.scales[j]) || math.IsInf(p.scales[j], 0) {
			return nil
		}
		for i := range p.columns[j] {
			p.columns[j][i] /= p.scales[j]
		}
	}
	if math.IsNaN(p.length) || math.IsInf(p.length, 0) {
		return nil
	}
	return p
}

// descend solves for the free columns, and frees as many of them again as must not be
// positive. It returns those that are left.
func (p *problem) descend(x []float64, free []int) []int {
	for len(free) > 0 {
		z := p.solveFree(free)
		step, blocking := 1., -1
		for k, j := range free {
			if z[k] <= 0 {
				if t := x[j] / (x[j] - z[k]); blocking < 0 || t < step {
					step, blocking = t, k
				}
			}
		}
		if blocking < 0 {
			for k, j := range free {
				x[j] = z[k]
			}
			return free
		}
		if math.IsNaN(step) { // it stands at 0 and is to stay there
			step = 0
		}
		for k, j := range free {
			x[j] += step * (z[k] - x[j])
		}
		x[free[blocking]] = 0
		free = slices.DeleteFunc(free, func(j int) bool { return x[j] <= 0 })
	}
	return free
}

// solveFree solves the least squares of some columns by orthogonal directions; a column that
// has none of its own gets 0.
func (p *problem) solveFree(free []int) []float64 {
	n := len(free)
	q, r := make([][]float64, n), make([][]float64, n)
	rhs := make([]float64, n)
	for k, j := range free {
		v := slices.Clone(p.columns[j])
		r[k] = make([]float64, n)
		for range 2 { // the second time for what rounding left
			for i := range k {
				c := dot(q[i], v)
				r[i][k] += c
				for m := range v {
					v[m] -= c * q[i][m]
				}
			}
		}
		if r[k][k] = length(v); r[k][k] > negligible {
			for m := range v {
				v[m] /= r[k][k]
			}
		} else {
			r[k][k] = 0
			clear(v)
		}
		q[k], rhs[k] = v, dot(v, p.b)
	}
	z := make([]float64, n)
	for k := n - 1; k >= 0; k-- {
		if r[k][k] == 0 {
			continue
		}
		z[k] = rhs[k]
		for i := k + 1; i < n; i++ {
			z[k] -= r[k][i] * z[i]
		}
		z[k] /= r[k][k]
	}
	return z
}

// gradient is by how much the residual would lessen with each unknown.
func (p *problem) gradient(x []float64) []float64 {
	rest := p.residual(x)
	g := make([]float64, len(x))
	for j := range x {
		g[j] = dot(p.columns[j], rest)
	}
	return g
}

func (p *problem) residual(x []float64) []float64 {
	rest := slices.Clone(p.b)
	for j, v := range x {
		for i := range rest {
			rest[i] -= v * p.columns[j][i]
		}
	}
	return rest
}

func dot(a, b []float64) (sum float64) {
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

func length(a []float64) float64 { return math.Sqrt(dot(a, a)) }
