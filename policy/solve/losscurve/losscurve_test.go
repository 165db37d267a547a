package losscurve_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"fairbridge/policy/solve/losscurve"
)

// TestForetells: of curves of both kinds the next quarter is foretold within a hundredth of
// what was lost so far.
func TestForetells(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		floor, scale := rapid.Float64Range(0, 5).Draw(t, "floor"), rapid.Float64Range(.1, 10).Draw(t, "scale")
		rate, unit := rapid.Float64Range(.5, 20).Draw(t, "rate"), rapid.Float64Range(1, 1e6).Draw(t, "unit")
		exponential := rapid.Bool().Draw(t, "exponential")
		loss := func(k float64) float64 {
			if exponential {
				return floor + scale*math.Exp(-min(rate, 4)*k)
			}
			return floor + scale/(1+rate*k)
		}
		var points []losscurve.Point
		for i := range 21 {
			k := float64(i) / 20
			points = append(points, losscurve.Point{Step: 7 + k*unit, Loss: loss(k)})
		}
		c, ok := losscurve.Fit(points)
		if !ok {
			t.Fatal("no fit")
		}
		if got, want := c.At(7+1.25*unit), loss(1.25); math.Abs(got-want) > .01*(loss(0)-loss(1)) {
			t.Fatalf("%g, want %g, by %+v", got, want, c)
		}
	})
}

// TestUnits: in other units of loss and steps it foretells the same.
func TestUnits(t *testing.T) {
	var one, other []losscurve.Point
	for i := range 12 {
		k := float64(i)
		one = append(one, losscurve.Point{Step: k, Loss: 1/(.1*k*k+.3*k+1) + .01*math.Sin(9*k)})
		other = append(other, losscurve.Point{Step: 50 * k, Loss: 1000 * one[i].Loss})
	}
	a, ok := losscurve.Fit(one)
	b, alsoOK := losscurve.Fit(other)
	if x, y := a.At(15), b.At(750)/1000; !ok || !alsoOK || math.Abs(x-y) > 1e-9 {
		t.Errorf("%g and %g", x, y)
	}
}

// TestNoFit: too few points, losses that rise, and values that are none have no curve.
func TestNoFit(t *testing.T) {
	falling := func(change func([]losscurve.Point)) []losscurve.Point {
		p := []losscurve.Point{{0, 4}, {1, 2}, {2, 1.5}, {3, 1.2}, {4, 1.1}}
		change(p)
		return p
	}
	for name, points := range map[string][]losscurve.Point{
		"none":         nil,
		"three":        falling(func([]losscurve.Point) {})[:3],
		"rising":       falling(func(p []losscurve.Point) { p[4].Loss = 5 }),
		"no number":    falling(func(p []losscurve.Point) { p[2].Loss = math.NaN() }),
		"infinite":     falling(func(p []losscurve.Point) { p[0].Loss = math.Inf(1) }),
		"out of order": falling(func(p []losscurve.Point) { p[2].Step = 1 }),
	} {
		if c, ok := losscurve.Fit(points); ok {
			t.Errorf("%s: %+v", name, c)
		}
	}
	if _, ok := losscurve.Fit(falling(func([]losscurve.Point) {})); !ok {
		t.Error("five points that fall have no curve")
	}
}

// TestForgets: what came last counts most.
func TestForgets(t *testing.T) {
	var points []losscurve.Point
	for i := range 80 {
		k := float64(i)
		loss := 10 - k/5 // at first a straight line
		if i >= 30 {
			loss = 2 + 2*math.Pow(.9, k-30)
		}
		points = append(points, losscurve.Point{Step: k, Loss: loss})
	}
	c, ok := losscurve.Fit(points)
	if want := 2 + 2*math.Pow(.9, 60); !ok || math.Abs(c.At(90)-want) > .1 {
		t.Errorf("%g, want %g", c.At(90), want)
	}
}
