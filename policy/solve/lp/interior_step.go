package lp

import (
	"math"
)

// converged computes the residuals and says whether they and the gap are small.
func (e *embedding) converged() bool {
	e.transposeTimes(e.z, e.rx)
	for j, c := range e.c {
		e.rx[j] = -e.rx[j] - c*e.tau
	}
	for i, v := range e.times(e.x) {
		e.rz[i] = v + e.s[i] - e.h[i]*e.tau
	}
	cx, hz := dotProduct(e.c, e.x), dotProduct(e.h, e.z)
	e.rt = e.kappa + cx + hz
	gap := dotProduct(e.s, e.z) / (e.tau * e.tau)
	worth := max(-cx, -hz) / e.tau
	const fine = 1e-7
	return math.Sqrt(dotProduct(e.rz, e.rz))/e.tau <= fine*max(1, math.Sqrt(dotProduct(e.h, e.h))) &&
		math.Sqrt(dotProduct(e.rx, e.rx))/e.tau <= fine*max(1, math.Sqrt(dotProduct(e.c, e.c))) &&
		(gap <= 1e-7 || worth > 0 && gap <= 1e-6*worth)
}

// direction is one of a step, with its length.
type direction struct {
	x, z, s    []float64
	tau, kappa float64
}

// step goes to the end of the affine direction in thought, sees how far that
// leads, and then goes towards the central path as much as was missing. It
// reports false when the numbers give out.
func (e *embedding) step() bool {
	for i := range e.weight {
		e.weight[i] = e.z[i] / e.s[i]
		e.flat[i] = e.weight[i] * e.h[i]
	}
	e.transposeTimes(e.flat, e.vx)
	for j, c := range e.c {
		e.vx[j] -= c
	}
	e.solve(e.vx)
	for i, v := range e.times(e.vx) {
		e.vz[i] = e.weight[i] * (v - e.h[i])
	}
	mu := (dotProduct(e.s, e.z) + e.tau*e.kappa) / float64(len(e.s)+1)
	affine := e.solveDirection(0, mu, nil)
	sigma := math.Pow(1-min(1, 1/e.inverseStep(affine)), 3)
	m := e.solveDirection(sigma, mu, affine)
	far := min(1, 0.99/e.inverseStep(m))
	if math.IsNaN(far) {
		return false
	}
	e.tau += far * m.tau
	e.kappa += far * m.kappa
	for j, v := range m.x {
		e.x[j] += far * v
	}
	for i := range e.s {
		e.s[i] += far * m.s[i]
		e.z[i] += far * m.z[i]
	}
	return true
}

// solveDirection solves for the move that takes all residuals down by 1-sigma and
// all products s·z to sigma·mu, to second order with the affine one.
func (e *embedding) solveDirection(sigma, mu float64, affine *direction) *direction {
	m := &direction{x: make([]float64, len(e.x)), z: make([]float64, len(e.z)), s: make([]float64, len(e.s))}
	for i := range e.s { // what s·dz + z·ds must be, into m.s
		m.s[i] = sigma*mu - e.s[i]*e.z[i]
		if affine != nil {
			m.s[i] -= affine.s[i] * affine.z[i]
		}
	}
	both := sigma*mu - e.tau*e.kappa
	if affine != nil {
		both -= affine.tau * affine.kappa
	}
	for i := range e.flat { // q, into m.z
		m.z[i] = (1-sigma)*e.rz[i] + m.s[i]/e.z[i]
		e.flat[i] = e.weight[i] * m.z[i]
	}
	e.transposeTimes(e.flat, m.x)
	for j := range m.x {
		m.x[j] = (1-sigma)*e.rx[j] - m.x[j]
	}
	e.solve(m.x)
	for i, v := range e.times(m.x) {
		m.z[i] = e.weight[i] * (v + m.z[i])
	}
	m.tau = -((1-sigma)*e.rt + dotProduct(e.c, m.x) + dotProduct(e.h, m.z) + both/e.tau) /
		(dotProduct(e.c, e.vx) + dotProduct(e.h, e.vz) - e.kappa/e.tau)
	m.kappa = (both - e.kappa*m.tau) / e.tau
	for j := range m.x {
		m.x[j] += m.tau * e.vx[j]
	}
	for i := range m.z {
		m.z[i] += m.tau * e.vz[i]
		m.s[i] = (m.s[i] - e.s[i]*m.z[i]) / e.z[i]
	}
	return m
}

// inverseStep is how far the direction fits before something becomes negative,
// inverted: one over it is the longest step.
func (e *embedding) inverseStep(m *direction) float64 {
	r := max(0, -m.tau/e.tau, -m.kappa/e.kappa)
	for i := range e.s {
		r = max(r, -m.s[i]/e.s[i], -m.z[i]/e.z[i])
	}
	return r
}
