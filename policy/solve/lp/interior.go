package lp

import (
	"math"
)

// SingleCapacity divides one kind of capacity as fractions of time: it asks for
// 0 <= x <= 1 with sum Sizes·x <= Capacity that is optimal by a fair objective. Nearly always many are, and results of simulators depend on
// which one the solver ends at. The published ones used interior-point solvers,
// so this is one: Mehrotra's predictor-corrector method on the self-dual
// embedding, begun at the least-squares point, as such solvers do.
type SingleCapacity struct {
	Capacity float64
	Sizes    []float64
	// Speeds·x must reach MinSpeeds; with MaximizesMinSpeed these are not used
	// and the smallest Speeds·x, the level, is made as large as possible.
	Speeds, MinSpeeds []float64
	MaximizesMinSpeed bool
}

// Solve returns the fractions; ok is false when the method does not end, for
// example because nothing meets all constraints. The matrix of a step is
// diagonal but for the capacity and the level, so a step takes O(n), and some
// fifteen are enough.
func (f *SingleCapacity) Solve() (x []float64, ok bool) {
	e := newSelfDualEmbedding(f)
	e.setStartPoint()
	for range 100 {
		if e.hasConverged() {
			for i := range e.x {
				e.x[i] = min(max(e.x[i]/e.tau, 0), 1)
			}
			return e.x[:len(f.Sizes)], true
		}
		if !e.advance() {
			break
		}
	}
	return nil, false
}

// selfDualEmbedding looks for x, z, s with G·x + s = h·tau, G'·z + c·tau = 0,
// s, z >= 0 and s·z = 0. The rows of G are four blocks: -x, x, -Speeds·x (+ t)
// and the capacity. With MaximizesMinSpeed, t is the last variable and c takes it
// off. The letters are those of L. Vandenberghe, "The CVXOPT linear and quadratic
// cone program solvers" (2010): x the variables, s the slacks of the rows, z their
// dual values, c the cost, h the right-hand sides, tau and kappa what the
// embedding adds.
type selfDualEmbedding struct {
	*SingleCapacity
	itemCount                                                  int
	x, c, h, s, z                                              []float64
	dualResiduals, primalResiduals, tauResponseX, tauResponseZ []float64 // residuals; how x and z answer to tau
	tau, kappa, gapResidual                                    float64
	scalingWeights, scratchRows, scratchProduct                []float64
}

func newSelfDualEmbedding(f *SingleCapacity) *selfDualEmbedding {
	n := len(f.Sizes)
	e := &selfDualEmbedding{SingleCapacity: f, itemCount: n}
	vars, rows := n, 3*n+1
	if f.MaximizesMinSpeed {
		vars++
	}
	for _, v := range []*[]float64{&e.x, &e.c, &e.dualResiduals, &e.tauResponseX} {
		*v = make([]float64, vars)
	}
	for _, v := range []*[]float64{&e.h, &e.s, &e.z, &e.primalResiduals, &e.tauResponseZ, &e.scalingWeights, &e.scratchRows, &e.scratchProduct} {
		*v = make([]float64, rows)
	}
	for i := range n {
		e.h[n+i] = 1
		if !f.MaximizesMinSpeed {
			e.h[2*n+i] = -f.MinSpeeds[i]
		}
	}
	if f.MaximizesMinSpeed {
		e.c[n] = -1
	}
	e.h[3*n] = f.Capacity
	return e
}

// multiplyByG returns G·x.
func (e *selfDualEmbedding) multiplyByG(x []float64) []float64 {
	n, sum := e.itemCount, 0.0
	for i := range n {
		e.scratchProduct[i], e.scratchProduct[n+i], e.scratchProduct[2*n+i] = -x[i], x[i], -e.Speeds[i]*x[i]
		if e.MaximizesMinSpeed {
			e.scratchProduct[2*n+i] += x[n]
		}
		sum += e.Sizes[i] * x[i]
	}
	e.scratchProduct[3*n] = sum
	return e.scratchProduct
}

// multiplyByTransposedG puts G'·y into x.
func (e *selfDualEmbedding) multiplyByTransposedG(y, x []float64) {
	n, level := e.itemCount, 0.0
	for i := range n {
		x[i] = y[n+i] - y[i] - e.Speeds[i]*y[2*n+i] + e.Sizes[i]*y[3*n]
		level += y[2*n+i]
	}
	if e.MaximizesMinSpeed {
		x[n] = level
	}
}

// solveNormalEquations solves G'·W·G·x = x in place, W having scalingWeights on its diagonal.
func (e *selfDualEmbedding) solveNormalEquations(x []float64) {
	n, w := e.itemCount, e.scalingWeights
	// x[i] = (r[i] - w·Sizes·sum + Speeds·w·t)/d[i]: two unknowns, sum and t.
	var sum, t [3]float64 // coefficients of sum, of t, and the constant
	sum[0] = 1
	for i := range n {
		a := e.Speeds[i] * w[2*n+i]
		d := w[i] + w[n+i] + e.Speeds[i]*a
		g := e.Sizes[i]
		sum[0] += w[3*n] * g * g / d
		sum[2] += g * x[i] / d
		if e.MaximizesMinSpeed {
			sum[1] -= g * a / d
			t[0] += a * w[3*n] * g / d
			t[1] += w[2*n+i] - a*a/d
			t[2] += a * x[i] / d
		}
	}
	total, level := sum[2]/sum[0], 0.0
	if e.MaximizesMinSpeed {
		t[2] += x[n]
		det := sum[0]*t[1] - sum[1]*t[0]
		total, level = (sum[2]*t[1]-sum[1]*t[2])/det, (sum[0]*t[2]-t[0]*sum[2])/det
		x[n] = level
	}
	for i := range n {
		a := e.Speeds[i] * w[2*n+i]
		x[i] = (x[i] - w[3*n]*e.Sizes[i]*total + a*level) / (w[i] + w[n+i] + e.Speeds[i]*a)
	}
}

// setStartPoint starts at the points of least squares, pushed inside.
func (e *selfDualEmbedding) setStartPoint() {
	for i := range e.scalingWeights {
		e.scalingWeights[i] = 1
	}
	e.multiplyByTransposedG(e.h, e.x)
	e.solveNormalEquations(e.x)
	for i, v := range e.multiplyByG(e.x) {
		e.s[i] = e.h[i] - v
	}
	copy(e.tauResponseX, e.c)
	e.solveNormalEquations(e.tauResponseX)
	for i, v := range e.multiplyByG(e.tauResponseX) {
		e.z[i] = -v
	}
	makePositive(e.s)
	makePositive(e.z)
	e.tau, e.kappa = 1, 1
}

func makePositive(v []float64) {
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
