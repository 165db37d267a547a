package lp

import (
	"math"
)

// SingleKind divides one kind of capacity as fractions of time: it asks for 0 <= x <= 1 with sum Size·x <= Capacity that is optimal by
// a fair objective. Nearly always many are, and results of simulators depend on
// which one the solver ends at. The published ones used interior-point solvers,
// so this is one: Mehrotra's predictor-corrector method on the self-dual
// embedding, begun at the least-squares point, as such solvers do.
type SingleKind struct {
	Capacity float64
	Size     []float64
	// Speed·x must reach Least, if Level is false; with Level, Least is not used
	// and the smallest Speed·x is made as large as possible.
	Speed, Least []float64
	Level        bool
}

// Solve returns the fractions; ok is false when the method does not end, for
// example because nothing meets all constraints. The matrix of a step is
// diagonal but for the capacity and the level, so a step takes O(n), and some
// fifteen are enough.
func (f *SingleKind) Solve() (x []float64, ok bool) {
	e := newEmbedding(f)
	e.startPoint()
	for range 100 {
		if e.converged() {
			for i := range e.x {
				e.x[i] = min(max(e.x[i]/e.tau, 0), 1)
			}
			return e.x[:len(f.Size)], true
		}
		if !e.step() {
			break
		}
	}
	return nil, false
}

// An embedding looks for x, z, s with G·x + s = h·tau, G'·z + c·tau = 0,
// s, z >= 0 and s·z = 0. The rows of G are four blocks: -x, x, -Speed·x (+ t)
// and the capacity. With Level, t is the last variable and c takes it off.
type embedding struct {
	*SingleKind
	n                int
	x, c, h, s, z    []float64
	rx, rz, vx, vz   []float64 // residuals; the answer to (c, h)
	tau, kappa, rt   float64
	weight, flat, gx []float64
}

func newEmbedding(f *SingleKind) *embedding {
	n := len(f.Size)
	e := &embedding{SingleKind: f, n: n}
	vars, rows := n, 3*n+1
	if f.Level {
		vars++
	}
	for _, v := range []*[]float64{&e.x, &e.c, &e.rx, &e.vx} {
		*v = make([]float64, vars)
	}
	for _, v := range []*[]float64{&e.h, &e.s, &e.z, &e.rz, &e.vz, &e.weight, &e.flat, &e.gx} {
		*v = make([]float64, rows)
	}
	for i := range n {
		e.h[n+i] = 1
		if !f.Level {
			e.h[2*n+i] = -f.Least[i]
		}
	}
	if f.Level {
		e.c[n] = -1
	}
	e.h[3*n] = f.Capacity
	return e
}

// times returns G·x.
func (e *embedding) times(x []float64) []float64 {
	n, sum := e.n, 0.0
	for i := range n {
		e.gx[i], e.gx[n+i], e.gx[2*n+i] = -x[i], x[i], -e.Speed[i]*x[i]
		if e.Level {
			e.gx[2*n+i] += x[n]
		}
		sum += e.Size[i] * x[i]
	}
	e.gx[3*n] = sum
	return e.gx
}

// transposeTimes puts G'·y into x.
func (e *embedding) transposeTimes(y, x []float64) {
	n, level := e.n, 0.0
	for i := range n {
		x[i] = y[n+i] - y[i] - e.Speed[i]*y[2*n+i] + e.Size[i]*y[3*n]
		level += y[2*n+i]
	}
	if e.Level {
		x[n] = level
	}
}

// solve solves G'·W·G·x = x in place, W being the diagonal weight.
func (e *embedding) solve(x []float64) {
	n, w := e.n, e.weight
	// x[i] = (r[i] - w·Size·sum + Speed·w·t)/d[i]: two unknowns, sum and t.
	var sum, t [3]float64 // coefficients of sum, of t, and the constant
	sum[0] = 1
	for i := range n {
		a := e.Speed[i] * w[2*n+i]
		d := w[i] + w[n+i] + e.Speed[i]*a
		g := e.Size[i]
		sum[0] += w[3*n] * g * g / d
		sum[2] += g * x[i] / d
		if e.Level {
			sum[1] -= g * a / d
			t[0] += a * w[3*n] * g / d
			t[1] += w[2*n+i] - a*a/d
			t[2] += a * x[i] / d
		}
	}
	total, level := sum[2]/sum[0], 0.0
	if e.Level {
		t[2] += x[n]
		det := sum[0]*t[1] - sum[1]*t[0]
		total, level = (sum[2]*t[1]-sum[1]*t[2])/det, (sum[0]*t[2]-t[0]*sum[2])/det
		x[n] = level
	}
	for i := range n {
		a := e.Speed[i] * w[2*n+i]
		x[i] = (x[i] - w[3*n]*e.Size[i]*total + a*level) / (w[i] + w[n+i] + e.Speed[i]*a)
	}
}

// startPoint starts at the points of least squares, pushed inside.
func (e *embedding) startPoint() {
	for i := range e.weight {
		e.weight[i] = 1
	}
	e.transposeTimes(e.h, e.x)
	e.solve(e.x)
	for i, v := range e.times(e.x) {
		e.s[i] = e.h[i] - v
	}
	copy(e.vx, e.c)
	e.solve(e.vx)
	for i, v := range e.times(e.vx) {
		e.z[i] = -v
	}
	pushInside(e.s)
	pushInside(e.z)
	e.tau, e.kappa = 1, 1
}

func pushInside(v []float64) {
	least := math.Inf(1)
	for _, a := range v {
		least = min(least, a)
	}
	if least <= 1e-8*max(math.Sqrt(dotProduct(v, v)), 1) {
		for i := range v {
			v[i] += 1 - least
		}
	}
}
