package lp_test

import (
	"errors"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	gonum "gonum.org/v1/gonum/optimize/convex/lp"
	"pgregory.net/rapid"

	"fairbridge/policy/solve/lp"
)

// oracle solves an LP with gonum, whose simplex wants equations.
func oracle(p lp.Problem) (float64, error) {
	n, m := len(p.Objective), len(p.Bounds)
	c, a := make([]float64, n+m), mat.NewDense(m, n+m, nil)
	for j, g := range p.Objective {
		c[j] = -g
	}
	b := make([]float64, m)
	for i, row := range p.Rows {
		sign := 1.0
		if p.Bounds[i] < 0 {
			sign = -1
		}
		for j, v := range row {
			a.Set(i, j, sign*v)
		}
		a.Set(i, n+i, sign)
		b[i] = sign * p.Bounds[i]
	}
	v, _, err := gonum.Simplex(c, a, b, 1e-10, nil)
	return -v, err
}

// drawLP draws no zeros: the oracle takes a problem with an empty column for
// unbounded even where it has no solution.
func drawLP(t *rapid.T) lp.Problem {
	n, m := rapid.IntRange(1, 8).Draw(t, "n"), rapid.IntRange(1, 8).Draw(t, "m")
	value := rapid.Map(rapid.IntRange(-20, 40), func(k int) float64 { return (float64(k) + 0.5) / 7 })
	p := lp.Problem{Objective: rapid.SliceOfN(value, n, n).Draw(t, "gain")}
	for range m {
		p.Rows = append(p.Rows, rapid.SliceOfN(value, n, n).Draw(t, "row"))
		p.Bounds = append(p.Bounds, value.Draw(t, "bound"))
	}
	return p
}

func TestSimplexAgainstGonum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawLP(t)
		want, wantErr := oracle(p)
		got, err := p.Maximize()
		switch {
		case errors.Is(wantErr, gonum.ErrInfeasible):
			if !errors.Is(err, lp.ErrInfeasible) {
				t.Fatalf("error %v, want infeasible", err)
			}
			return
		case errors.Is(wantErr, gonum.ErrUnbounded):
			if !errors.Is(err, lp.ErrUnbounded) {
				t.Fatalf("error %v, want unbounded", err)
			}
			return
		case wantErr != nil:
			t.Skip("the oracle gave up: ", wantErr)
		case err != nil:
			t.Fatalf("error %v, want %g", err, want)
		}
		if math.Abs(got.Value-want) > 1e-7*(1+math.Abs(want)) {
			t.Fatalf("value %g, want %g", got.Value, want)
		}
		checkOptimum(t, p, got)
	})
}

// checkOptimum proves an optimum by its prices: both sides keep their
// constraints and agree on the value.
func checkOptimum(t *rapid.T, p lp.Problem, o lp.Solution) {
	const eps = 1e-7
	dual := 0.0
	for i, row := range p.Rows {
		sum := 0.0
		for j, v := range row {
			sum += v * o.X[j]
		}
		if sum > p.Bounds[i]+eps*(1+math.Abs(p.Bounds[i])) {
			t.Fatalf("row %d: %g exceeds %g", i, sum, p.Bounds[i])
		}
		dual += o.Prices[i] * p.Bounds[i]
	}
	for j, g := range p.Objective {
		cost := 0.0
		for i, row := range p.Rows {
			cost += o.Prices[i] * row[j]
		}
		if cost < g-eps*(1+math.Abs(g)) || o.X[j] < 0 {
			t.Fatalf("column %d at %g: costs %g and brings %g", j, o.X[j], cost, g)
		}
	}
	if math.Abs(dual-o.Value) > eps*(1+math.Abs(dual)) {
		t.Fatalf("prices say %g, the vertex %g", dual, o.Value)
	}
}

func TestSimplexDegenerate(t *testing.T) {
	// Beale's example cycles under the steepest-column rule alone.
	p := lp.Problem{
		Objective: []float64{0.75, -150, 0.02, -6},
		Rows:      [][]float64{{0.25, -60, -0.04, 9}, {0.5, -90, -0.02, 3}, {0, 0, 1, 0}},
		Bounds:    []float64{0, 0, 1},
	}
	o, err := p.Maximize()
	if err != nil || math.Abs(o.Value-0.05) > 1e-12 {
		t.Errorf("value %g, error %v, want 0.05", o.Value, err)
	}
}
