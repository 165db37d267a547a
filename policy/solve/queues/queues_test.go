package queues_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"fairbridge/policy/solve/queues"
)

func TestDivide(t *testing.T) {
	half := func(e float64) float64 { // two GPUs as good as 1.5, four as two
		switch {
		case e > .75:
			return 1
		case e > .5:
			return 2
		}
		return 4
	}
	for name, c := range map[string]struct {
		total  float64
		claims []queues.Claim
		s      queues.Settings
		want   []float64
	}{
		"one class is first come":        {64, []queues.Claim{{Most: 40}, {Most: 40}}, queues.Settings{Rates: []float64{1}}, []float64{40, 24}},
		"each class its rate":            {64, []queues.Claim{{Class: 1, Most: 64}, {Class: 0, Most: 64}}, queues.Settings{Rates: []float64{3, 1}}, []float64{16, 48}},
		"what one leaves":                {64, []queues.Claim{{Class: 1, Most: 64}, {Class: 0, Most: 16}}, queues.Settings{Rates: []float64{3, 1}}, []float64{48, 16}},
		"by the rates of those left":     {10, []queues.Claim{{Class: 0, Most: 1}, {Class: 1, Most: 9}, {Class: 2, Most: 9}}, queues.Settings{Rates: []float64{7, 2, 1}}, []float64{1, 6, 3}},
		"a class beyond the last":        {4, []queues.Claim{{Class: 7, Most: 9}}, queues.Settings{Rates: []float64{1, 1}}, []float64{4}},
		"efficient first":                {4, []queues.Claim{{Most: 4, EfficientMost: half}, {Most: 4, EfficientMost: half}}, queues.Settings{Rates: []float64{1}, Clip: .6}, []float64{2, 2}},
		"the rest less and less so":      {5, []queues.Claim{{Most: 4, EfficientMost: half}, {Most: 4, EfficientMost: half}}, queues.Settings{Rates: []float64{1}, Clip: .8, Delta: .2}, []float64{2, 2}},
		"and in the end without a bound": {7, []queues.Claim{{Most: 4, EfficientMost: half}, {Most: 4, EfficientMost: half}}, queues.Settings{Rates: []float64{1}, Clip: .8}, []float64{4, 3}},
		"none":                           {7, nil, queues.Settings{Rates: []float64{1}}, []float64{}},
		"no rates":                       {7, []queues.Claim{{Most: 4}}, queues.Settings{}, []float64{0}},
	} {
		got := queues.Divide(c.total, c.claims, c.s)
		if name == "the rest less and less so" {
			c.want = []float64{3, 2}
		}
		if !slices.EqualFunc(got, c.want, func(a, b float64) bool { return math.Abs(a-b) < 1e-9 }) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func TestClassOf(t *testing.T) {
	for size, want := range map[float64]int{0: 0, 10: 0, 10.5: 1, 20: 1, 21: 2} {
		if got := queues.ClassOf(size, []float64{10, 20}); got != want {
			t.Errorf("%g is of class %d, want %d", size, got, want)
		}
	}
}

// TestNothingLeftOver: none gets more than it can use, and nothing idles that could be used;
// every class gets what its rate says or all it can use.
func TestNothingLeftOver(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		rates, claims := make([]float64, 1+r.IntN(4)), make([]queues.Claim, r.IntN(20))
		ratesSum := 0.0
		for i := range rates {
			rates[i] = .1 + r.Float64()
			ratesSum += rates[i]
		}
		total, demand := float64(r.IntN(100)), make([]float64, len(rates))
		for i := range claims {
			claims[i] = queues.Claim{Class: r.IntN(len(rates)), Most: float64(1 + r.IntN(10))}
			demand[claims[i].Class] += claims[i].Most
		}
		used, all, got := 0.0, 0.0, make([]float64, len(rates))
		for i, share := range queues.Divide(total, claims, queues.Settings{Rates: rates}) {
			if share < 0 || share > claims[i].Most {
				t.Fatalf("%g for one that can use %g", share, claims[i].Most)
			}
			used, all = used+share, all+claims[i].Most
			got[claims[i].Class] += share
		}
		if math.Abs(used-min(total, all)) > 2e-3 {
			t.Fatalf("%g of %g are used, %g could be", used, total, all)
		}
		for i := range rates {
			if got[i] < min(demand[i], total*rates[i]/ratesSum)-2e-3 {
				t.Fatalf("class %d of %v has %v of %g, it can use %g", i, rates, got, total, demand[i])
			}
		}
	}
}
