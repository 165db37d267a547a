package lp

import (
	"errors"
	"math"
)

// Errors of Problem.Maximize.
var (
	ErrInfeasible = errors.New("no point meets all constraints")
	ErrUnbounded  = errors.New("the objective can grow without limit")
	ErrStalled    = errors.New("the simplex method does not come to an end: the numbers are too far apart in size")
)

// Problem asks for x >= 0 with Rows·x <= Bounds that makes Objective·x largest. It is
// meant for hundreds of rows and a few thousand columns, kept densely.
type Problem struct {
	Objective []float64
	Rows      [][]float64
	Bounds    []float64 // may be negative
}

// Solution is a vertex where a Problem is largest.
type Solution struct {
	Value  float64
	X      []float64
	Prices []float64 // by row: what one more unit of its bound would bring; >= 0
}

// zeroTolerance is what counts as zero in a tableau whose numbers are about 1.
const zeroTolerance = 1e-11

// Maximize solves the Problem by the simplex method: the steepest column first, and
// by Bland's rule, which cannot cycle, when it does not move. Equal problems give
// equal vertices.
func (p Problem) Maximize() (Solution, error) {
	t := newTableau(p)
	if err := t.findFirstVertex(); err != nil {
		return Solution{}, err
	}
	if err := t.climbToOptimum(t.columnGains); err != nil {
		return Solution{}, err
	}
	return t.newSolution(), nil
}

// A tableau says each basic variable by the others: rows[i] holds the
// coefficients of the columns and, last, the value. Columns are the variables
// 0..n-1, then one slack per row; column n+m is the helper of the first phase.
type tableau struct {
	columnCount, rowCount int
	rows                  [][]float64
	columnGains           []float64 // what each column still adds; last: minus the value so far
	basicVariables        []int     // by row
}

func newTableau(p Problem) *tableau {
	n, m := len(p.Objective), len(p.Bounds)
	t := &tableau{columnCount: n, rowCount: m, basicVariables: make([]int, m), columnGains: make([]float64, n+m+2)}
	copy(t.columnGains, p.Objective)
	cells := make([]float64, m*(n+m+2))
	for i := range m {
		row := cells[i*(n+m+2) : (i+1)*(n+m+2)]
		copy(row, p.Rows[i])
		row[n+i], row[n+m], row[n+m+1] = 1, -1, p.Bounds[i]
		t.rows, t.basicVariables[i] = append(t.rows, row), n+i
	}
	return t
}

// findFirstVertex finds a first vertex: the helper column, which relaxes every row, is
// brought to zero.
func (t *tableau) findFirstVertex() error {
	helper, value := t.columnCount+t.rowCount, t.columnCount+t.rowCount+1
	worst := -1
	for i, row := range t.rows {
		if row[value] < -zeroTolerance && (worst < 0 || row[value] < t.rows[worst][value]) {
			worst = i
		}
	}
	if worst >= 0 {
		away := make([]float64, t.columnCount+t.rowCount+2)
		away[helper] = -1
		t.pivotOn(worst, helper, away)
		if err := t.climbToOptimum(away); err != nil {
			return err
		}
		if away[value] > 1e-8 {
			return ErrInfeasible
		}
		t.removeFromBasis(helper)
	}
	for _, row := range t.rows {
		row[helper] = 0
	}
	t.columnGains[helper] = 0
	return nil
}

// removeFromBasis takes a column that is zero out of the basis.
func (t *tableau) removeFromBasis(helper int) {
	for i, b := range t.basicVariables {
		if b != helper {
			continue
		}
		best := -1
		for j := range helper {
			if a := math.Abs(t.rows[i][j]); a > zeroTolerance && (best < 0 || a > math.Abs(t.rows[i][best])) {
				best = j
			}
		}
		if best >= 0 {
			t.pivotOn(i, best, nil)
		}
	}
}

// climbToOptimum moves from vertex to vertex while the objective grows.
func (t *tableau) climbToOptimum(gain []float64) error {
	still := 0
	for range 200 * (t.columnCount + t.rowCount + 10) {
		col := t.enteringColumn(gain, still > t.rowCount)
		if col < 0 {
			return nil
		}
		row := t.leavingRow(col)
		if row < 0 {
			return ErrUnbounded
		}
		if t.rows[row][t.columnCount+t.rowCount+1] > zeroTolerance {
			still = 0
		} else {
			still++
		}
		t.pivotOn(row, col, gain)
	}
	return ErrStalled
}

func (t *tableau) enteringColumn(gain []float64, bland bool) int {
	best, most := -1, 1e-10
	for j := range t.columnCount + t.rowCount + 1 {
		if gain[j] > most {
			if bland {
				return j
			}
			best, most = j, gain[j]
		}
	}
	return best
}

// leavingRow returns the row that first stops the column's growth; among equals the
// one of the lowest variable.
func (t *tableau) leavingRow(col int) int {
	best, least := -1, math.Inf(1)
	for i, row := range t.rows {
		if row[col] <= 1e-10 {
			continue
		}
		ratio := max(row[t.columnCount+t.rowCount+1], 0) / row[col]
		switch {
		case ratio < least-zeroTolerance:
		case ratio > least+zeroTolerance, best < 0, t.basicVariables[i] > t.basicVariables[best]:
			continue
		}
		best, least = i, min(ratio, least)
	}
	return best
}

// pivotOn makes the column basic in the row. gain is kept in step, and the true
// objective with it.
func (t *tableau) pivotOn(row, col int, gain []float64) {
	pivot := t.rows[row]
	by := 1 / pivot[col]
	for j := range pivot {
		pivot[j] *= by
	}
	pivot[col] = 1
	for i, other := range t.rows {
		if i != row {
			eliminateColumn(other, pivot, col)
		}
	}
	eliminateColumn(t.columnGains, pivot, col)
	if len(gain) > 0 && &gain[0] != &t.columnGains[0] {
		eliminateColumn(gain, pivot, col)
	}
	t.basicVariables[row] = col
}

func eliminateColumn(row, pivot []float64, col int) {
	by := row[col]
	if by == 0 {
		return
	}
	for j, v := range pivot {
		row[j] -= by * v
	}
	row[col] = 0
}

func (t *tableau) newSolution() Solution {
	value := t.columnCount + t.rowCount + 1
	o := Solution{Value: -t.columnGains[value], X: make([]float64, t.columnCount), Prices: make([]float64, t.rowCount)}
	for i, b := range t.basicVariables {
		if b < t.columnCount {
			o.X[b] = max(t.rows[i][value], 0)
		}
	}
	for i := range o.Prices {
		o.Prices[i] = max(-t.columnGains[t.columnCount+i], 0)
	}
	return o
}
