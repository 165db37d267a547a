package descent_test

import (
	"math"
	"testing"

	"fairbridge/policy/solve/descent"
)

// rosenbrock is the valley that ends at (1, 1).
func rosenbrock(x, g []float64) float64 {
	a, b := 1-x[0], x[1]-x[0]*x[0]
	g[0], g[1] = -2*a-400*x[0]*b, 200*b
	return a*a + 100*b*b
}

func TestMinimize(t *testing.T) {
	inf := math.Inf(1)
	for name, c := range map[string]struct {
		lower, upper, want []float64
	}{
		"free":            {[]float64{-inf, -inf}, []float64{inf, inf}, []float64{1, 1}},
		"bounded above":   {[]float64{-inf, -inf}, []float64{.5, inf}, []float64{.5, .25}},
		"bounded below":   {[]float64{1.5, -inf}, []float64{inf, inf}, []float64{1.5, 2.25}},
		"one is pinned":   {[]float64{-2, 0}, []float64{2, 0}, []float64{.16126, 0}},
		"all are pinned":  {[]float64{.3, .4}, []float64{.3, .4}, []float64{.3, .4}},
		"start is moved":  {[]float64{2, 5}, []float64{3, 6}, []float64{2.23612, 5}},
		"a corner is it":  {[]float64{2, -inf}, []float64{3, 1}, []float64{2, 1}},
		"a narrow valley": {[]float64{-2, -2}, []float64{2, 2}, []float64{1, 1}},
	} {
		x, value := descent.Minimize(rosenbrock, []float64{-1.2, 1}, c.lower, c.upper)
		for i := range x {
			if math.Abs(x[i]-c.want[i]) > 1e-3 {
				t.Errorf("%s: %v (%g), want %v", name, x, value, c.want)
				break
			}
		}
	}
}

// TestNotANumber: a region where the function is none is avoided.
func TestNotANumber(t *testing.T) {
	f := func(x, g []float64) float64 {
		g[0] = 1 - .5/x[0]
		return x[0] - .5*math.Log(x[0])
	}
	if x, _ := descent.Minimize(f, []float64{9}, []float64{-9}, []float64{9}); math.Abs(x[0]-.5) > 1e-4 {
		t.Errorf("%v, want .5", x)
	}
}
