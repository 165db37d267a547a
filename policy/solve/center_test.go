package solve_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"fairbridge/policy/solve"
)

func TestCenterIsStationary(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		capacity := rapid.Float64Range(0.5, 300).Draw(t, "capacity")
		spans := make([]solve.Span, rapid.IntRange(1, 40).Draw(t, "n"))
		least := 0.0
		for i := range spans {
			spans[i] = solve.Span{
				Many: float64(rapid.IntRange(1, 9).Draw(t, "many")), Size: float64(rapid.IntRange(1, 8).Draw(t, "size")),
				Low: rapid.Float64Range(0, 1).Draw(t, "low"), Power: rapid.SampledFrom([]float64{1, 1.5}).Draw(t, "power"),
				Zero: rapid.SampledFrom([]float64{0, 1}).Draw(t, "zero"),
			}
			least += spans[i].Many * spans[i].Size * spans[i].Low
		}
		x := solve.Center(capacity, spans)
		left := capacity
		for i, s := range spans {
			left -= s.Many * s.Size * x[i]
		}
		if left < -1e-9*capacity {
			t.Fatalf("%g too much is used of %g", -left, capacity)
		}
		if least >= capacity*(1-1e-6) {
			return // no inside worth speaking of
		}
		for i, s := range spans {
			if s.Low > 1-1e-9 {
				continue
			}
			if x[i] <= s.Low || x[i] >= 1 {
				t.Fatalf("x[%d] = %g is not inside (%g, 1)", i, x[i], s.Low)
			}
			pull := s.Power / (x[i] - s.Low)
			push := 1/(1-x[i]) + s.Size/left
			if s.Zero > 0 {
				pull += s.Zero / x[i]
			}
			if math.Abs(pull-push) > 1e-4*pull {
				t.Fatalf("x[%d] = %g: pulled up by %g, pushed down by %g", i, x[i], pull, push)
			}
		}
	})
}
