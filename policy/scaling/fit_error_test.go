package scaling

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestFitErrorGradient compares the gradient with differences.
func TestFitErrorGradient(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		var points []MeasuredStep
		for range 1 + rng.IntN(6) {
			devices := 1 + rng.IntN(9)
			points = append(points, MeasuredStep{devices, 1 + rng.IntN(devices), 1 + rng.IntN(200), .5 * rng.Float64(), .1 + rng.Float64()})
		}
		x, gradient := make([]float64, variables), make([]float64, variables)
		for i := range x {
			x[i] = -6 * rng.Float64()
		}
		x[gamma] = 1.1 + 4*rng.Float64()
		fitError(points, x, gradient)
		for i := range x {
			const h = 1e-6
			at := func(by float64) float64 {
				y := append([]float64{}, x...)
				y[i] += by
				return fitError(points, y, make([]float64, variables))
			}
			if slope := (at(h) - at(-h)) / (2 * h); math.Abs(slope-gradient[i]) > 1e-5*max(1, math.Abs(slope)) {
				t.Fatalf("variable %d of %v: gradient %g, difference %g", i, x, gradient[i], slope)
			}
		}
	}
}
