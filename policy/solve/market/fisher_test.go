package market_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"fairbridge/policy/solve/market"
)

// TestMarket is the example of one fast and one slow GPU.
func TestMarket(t *testing.T) {
	share, prices := market.SolveFisherMarket([]float64{1, 1}, [][]float64{{4, 1}, {2, 1}}, 1e-9)
	for i, row := range [][]float64{{.75, 0}, {.25, 1}} {
		for g, want := range row {
			if math.Abs(share[i][g]-want) > 1e-6 {
				t.Errorf("buyer %d has %.6f of good %d, want %g", i, share[i][g], g, want)
			}
		}
	}
	for g, want := range []float64{4. / 3, 2. / 3} {
		if math.Abs(prices[g]-want) > 1e-6 {
			t.Errorf("good %d costs %.6f, want %.6f", g, prices[g], want)
		}
	}
}

// TestMarketBalances: all goods anybody wants are sold, all budgets are spent,
// and nobody wants other goods at these prices.
func TestMarketBalances(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		buyers, goods := rapid.IntRange(1, 8).Draw(t, "buyers"), rapid.IntRange(1, 4).Draw(t, "goods")
		budgets, worth := make([]float64, buyers), make([][]float64, buyers)
		sum := 0.0
		for i := range worth {
			budgets[i] = rapid.Float64Range(.1, 10).Draw(t, "budget")
			sum += budgets[i]
			for range goods {
				worth[i] = append(worth[i], rapid.Float64Range(.1, 10).Draw(t, "worth"))
			}
		}
		share, prices := market.SolveFisherMarket(budgets, worth, 1e-3)
		paid := 0.0
		for g, p := range prices {
			sold := 0.0
			for i := range share {
				sold += share[i][g]
			}
			if paid += p; math.Abs(sold-1) > 1e-9 {
				t.Fatalf("%v of good %d sold", sold, g)
			}
		}
		if math.Abs(paid/sum-1) > 1e-9 {
			t.Fatalf("%v paid of %v", paid, sum)
		}
		for i := range share {
			u, best := 0.0, 0.0
			for g := range prices {
				u += worth[i][g] * share[i][g]
				best = max(best, worth[i][g]/prices[g]*budgets[i])
			}
			if u < best*(1-.0011) {
				t.Fatalf("buyer %d gets %v, could have %v", i, u, best)
			}
		}
	})
}

func TestMarketNothing(t *testing.T) {
	share, prices := market.SolveFisherMarket([]float64{1, 0, 1}, [][]float64{{2, 0}, {1, 1}, {0, 0}}, 1e-3)
	if share[0][0] != 1 || share[1][0]+share[1][1]+share[2][0]+share[2][1] != 0 || prices[1] != 0 {
		t.Errorf("shares %v, prices %v", share, prices)
	}
}
