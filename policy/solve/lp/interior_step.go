package lp

import (
	"math"
)

// hasConverged computes the residuals and says whether they and the gap are small.
func (e *selfDualEmbedding) hasConverged() bool {
	e.multiplyByTransposedG(e.z, e.dualResiduals)
	for j, c := range e.c {
		e.dualResiduals[j] = -e.dualResiduals[j] - c*e.tau
	}
	for i, v := range e.multiplyByG(e.x) {
		e.primalResiduals[i] = v + e.s[i] - e.h[i]*e.tau
	}
	cx, hz := dotProduct(e.c, e.x), dotProduct(e.h, e.z)
	e.gapResidual = e.kappa + cx + hz
	gap := dotProduct(e.s, e.z) / (e.tau * e.tau)
	worth := max(-cx, -hz) / e.tau
	const fine = 1e-7
	return math.Sqrt(dotProduct(e.primalResiduals, e.primalResiduals))/e.tau <= fine*max(1, math.Sqrt(dotProduct(e.h, e.h))) &&
		math.Sqrt(dotProduct(e.dualResiduals, e.dualResiduals))/e.tau <= fine*max(1, math.Sqrt(dotProduct(e.c, e.c))) &&
		(gap <= 1e-7 || worth > 0 && gap <= 1e-6*worth)
}

// stepDirection is by how much each letter of a selfDualEmbedding changes in a step.
type stepDirection struct {
	x, z, s    []float64
	tau, kappa float64
}

// advance goes to the end of the affine direction in thought, sees how far that
// leads, and then goes towards the central path as much as was missing. It
// reports false when the numbers give out.
func (e *selfDualEmbedding) advance() bool {
	for i := range e.scalingWeights {
		e.scalingWeights[i] = e.z[i] / e.s[i]
		e.scratchRows[i] = e.scalingWeights[i] * e.h[i]
	}
	e.multiplyByTransposedG(e.scratchRows, e.tauResponseX)
	for j, c := range e.c {
		e.tauResponseX[j] -= c
	}
	e.solveNormalEquations(e.tauResponseX)
	for i, v := range e.multiplyByG(e.tauResponseX) {
		e.tauResponseZ[i] = e.scalingWeights[i] * (v - e.h[i])
	}
	mu := (dotProduct(e.s, e.z) + e.tau*e.kappa) / float64(len(e.s)+1)
	affine := e.solveDirection(0, mu, nil)
	sigma := math.Pow(1-min(1, 1/e.inverseStepLength(affine)), 3)
	m := e.solveDirection(sigma, mu, affine)
	far := min(1, 0.99/e.inverseStepLength(m))
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
func (e *selfDualEmbedding) solveDirection(sigma, mu float64, affine *stepDirection) *stepDirection {
	m := &stepDirection{x: make([]float64, len(e.x)), z: make([]float64, len(e.z)), s: make([]float64, len(e.s))}
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
	for i := range e.scratchRows { // q, into m.z
		m.z[i] = (1-sigma)*e.primalResiduals[i] + m.s[i]/e.z[i]
		e.scratchRows[i] = e.scalingWeights[i] * m.z[i]
	}
	e.multiplyByTransposedG(e.scratchRows, m.x)
	for j := range m.x {
		m.x[j] = (1-sigma)*e.dualResiduals[j] - m.x[j]
	}
	e.solveNormalEquations(m.x)
	for i, v := range e.multiplyByG(m.x) {
		m.z[i] = e.scalingWeights[i] * (v + m.z[i])
	}
	m.tau = -((1-sigma)*e.gapResidual + dotProduct(e.c, m.x) + dotProduct(e.h, m.z) + both/e.tau) /
		(dotProduct(e.c, e.tauResponseX) + dotProduct(e.h, e.tauResponseZ) - e.kappa/e.tau)
	m.kappa = (both - e.kappa*m.tau) / e.tau
	for j := range m.x {
		m.x[j] += m.tau * e.tauResponseX[j]
	}
	for i := range m.z {
		m.z[i] += m.tau * e.tauResponseZ[i]
		m.s[i] = (m.s[i] - e.s[i]*m.z[i]) / e.z[i]
	}
	return m
}

// inverseStepLength is how far the direction fits before something becomes negative,
// inverted: one over it is the longest step.
func (e *selfDualEmbedding) inverseStepLength(m *stepDirection) float64 {
	r := max(0, -m.tau/e.tau, -m.kappa/e.kappa)
	for i := range e.s {
		r = max(r, -m.s[i]/e.s[i], -m.z[i]/e.z[i])
	}
	return r
}
