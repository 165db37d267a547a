package fair

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

var approx = cmpopts.EquateApprox(1e-6, 1e-6)

func TestWaterFill(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		name     string
		capacity float64
		claims   []Claim
		want     []float64
	}{
		{"equal", 9, []Claim{{1, inf}, {1, inf}, {1, inf}}, []float64{3, 3, 3}},
		{"weights", 9, []Claim{{2, inf}, {1, inf}}, []float64{6, 3}},
		{"a small one leaves its rest", 10, []Claim{{1, 2}, {1, inf}, {1, 3}}, []float64{2, 5, 3}},
		{"more than wanted", 10, []Claim{{1, 2}, {3, 4}}, []float64{2, 4}},
		{"no capacity", 0, []Claim{{1, 2}}, []float64{0}},
		{"negative capacity", -1, []Claim{{1, 2}}, []float64{0}},
		{"senseless weights", 6, []Claim{{math.NaN(), 9}, {-1, 9}, {0, 9}, {inf, 9}, {1, 9}}, []float64{0, 0, 0, 0, 6}},
		{"senseless caps", 6, []Claim{{1, math.NaN()}, {1, -3}, {1, 4}}, []float64{0, 0, 4}},
		{"nobody", 6, nil, []float64{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if d := cmp.Diff(c.want, WaterFill(c.capacity, c.claims), approx); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestWaterFillAgainstBruteForce finds the water level by bisection, which
// shares nothing with the sweep.
func TestWaterFillAgainstBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		claims := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Claim {
			return Claim{rapid.Float64Range(0.1, 10).Draw(t, "weight"), rapid.Float64Range(0, 50).Draw(t, "max")}
		}), 0, 20).Draw(t, "claims")
		capacity := rapid.Float64Range(0, 300).Draw(t, "capacity")
		if d := cmp.Diff(bisect(capacity, claims), WaterFill(capacity, claims), approx); d != "" {
			t.Fatal(d)
		}
	})
}

func bisect(capacity float64, claims []Claim) []float64 {
	at := func(level float64) (got []float64, sum float64) {
		got = make([]float64, len(claims))
		for i, c := range claims {
			got[i] = min(c.MaxUse, c.Weight*level)
			sum += got[i]
		}
		return got, sum
	}
	lo, hi := 0.0, 1e3
	for range 200 {
		mid := (lo + hi) / 2
		if _, sum := at(mid); sum <= capacity {
			lo = mid
		} else {
			hi = mid
		}
	}
	got, _ := at(lo)
	return got
}
