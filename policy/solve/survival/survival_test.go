package survival

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestQuantile(t *testing.T) {
	s := NewSizeSample([]float64{5, 1, 4, 2, 3, 9, 8, 7, 6, 10})
	for q, want := range map[float64]float64{0: 1, 0.1: 1, 0.7: 7, 0.71: 8, 1: 10, 2: 10} {
		if got, ok := s.Quantile(q); got != want || !ok {
			t.Errorf("Quantile(%g) = %g, %t, want %g", q, got, ok, want)
		}
	}
	if _, ok := (SizeSample{}).Quantile(0.5); ok {
		t.Error("an empty sample has a quantile")
	}
}

// TestEndsAgainstCounting compares with the definition.
func TestEndsAgainstCounting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(0, 20), 0, 15).Draw(t, "values")
		had, more := rapid.Float64Range(0, 20).Draw(t, "had"), rapid.Float64Range(0, 20).Draw(t, "more")
		alive, done, spent := 0.0, 0.0, 0.0
		for _, v := range values {
			if v <= had {
				continue
			}
			alive++
			spent += min(v-had, more)
			if v <= had+more {
				done++
			}
		}
		chance, cost := NewSizeSample(values).ChanceToEndWithin(had, more)
		if alive > 0 && more > 0 && (math.Abs(chance-done/alive) > 1e-9 || math.Abs(cost-spent/alive) > 1e-6) {
			t.Fatalf("Ends = %g, %g, want %g, %g", chance, cost, done/alive, spent/alive)
		}
		if alive == 0 && (chance != 0 || cost != 0) {
			t.Fatalf("nothing is left, yet Ends = %g, %g", chance, cost)
		}
	})
}
