package market_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"fairbridge/policy/solve/market"
)

// bids turns values by units, the first of none, into bids.
func bids(values ...float64) (out []market.Bid) {
	for u, v := range values[1:] {
		out = append(out, market.Bid{Units: u + 1, LogGain: math.Log(v / values[0])})
	}
	return out
}

// linear is the bids of a job that is u times better off with u units.
func linear(units int) []market.Bid {
	values := []float64{.5}
	for u := range units {
		values = append(values, float64(u+1))
	}
	return bids(values...)
}

func units(a market.Auction, won []int) (out []int) {
	for i, k := range won {
		if k < 0 {
			out = append(out, 0)
			continue
		}
		out = append(out, a.Bids[i][k].Units)
	}
	return out
}

// TestAuctionOfEquals: n equal linear bidders share alike and keep
// (1-1/n)^(n-1) of it, which is more than 1/e.
func TestAuctionOfEquals(t *testing.T) {
	for _, c := range []struct {
		n, units int
		kept     float64
	}{{2, 8, .5}, {3, 6, 4. / 9}, {5, 20, .4096}} {
		a := market.Auction{Units: c.units}
		for range c.n {
			a.Bids = append(a.Bids, linear(c.units))
		}
		won := a.WinningBids()
		for i, u := range units(a, won) {
			if u != c.units/c.n {
				t.Errorf("%d bidders: bidder %d gets %d of %d", c.n, i, u, c.units)
			}
		}
		for i, k := range a.KeptFractions(won) {
			if math.Abs(k-c.kept) > 1e-9 || k < 1/math.E {
				t.Errorf("%d bidders: bidder %d keeps %g, want %g", c.n, i, k, c.kept)
			}
		}
	}
}

// TestAuctionOfTwo: 4 GPUs; A is g/2 well off with g of them, B 2 with one. The
// product is largest, 3, at 3 and 1; B's taking part costs A a quarter.
func TestAuctionOfTwo(t *testing.T) {
	a := market.Auction{Units: 4, Bids: [][]market.Bid{bids(.25, .5, 1, 1.5, 2), bids(1, 2)}}
	won := a.WinningBids()
	if got := units(a, won); got[0] != 3 || got[1] != 1 {
		t.Errorf("got %v, want 3 and 1", got)
	}
	if k := a.KeptFractions(won); math.Abs(k[0]-1) > 1e-9 || math.Abs(k[1]-.75) > 1e-9 {
		t.Errorf("keep %v, want 1 and .75", k)
	}
}

// TestAuctionIsOptimal compares with all combinations, and the kept parts with
// auctions without each bidder.
func TestAuctionIsOptimal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := market.Auction{Units: rapid.IntRange(0, 10).Draw(t, "units")}
		for range rapid.IntRange(0, 5).Draw(t, "bidders") {
			var b []market.Bid
			for range rapid.IntRange(0, 3).Draw(t, "bids") {
				b = append(b, market.Bid{Units: rapid.IntRange(1, 6).Draw(t, "u"), LogGain: rapid.Float64Range(-1, 3).Draw(t, "gain")})
			}
			a.Bids = append(a.Bids, b)
		}
		won, used, sum := a.WinningBids(), 0, 0.0
		for i, k := range won {
			if k >= 0 {
				used += a.Bids[i][k].Units
				sum += a.Bids[i][k].LogGain
			}
		}
		if used > a.Units {
			t.Fatalf("%d units of %d given", used, a.Units)
		}
		if best := exhaust(a.Bids, a.Units); math.Abs(sum-best) > 1e-9 {
			t.Fatalf("sum %g, best %g", sum, best)
		}
		for i, kept := range a.KeptFractions(won) {
			if won[i] < 0 {
				continue
			}
			others := append(append([][]market.Bid(nil), a.Bids[:i]...), a.Bids[i+1:]...)
			want := math.Exp(sum - a.Bids[i][won[i]].LogGain - exhaust(others, a.Units))
			if !(kept > 0 && kept <= 1) || math.Abs(kept-want) > 1e-9 {
				t.Fatalf("bidder %d keeps %g, want %g", i, kept, want)
			}
		}
	})
}

func exhaust(bids [][]market.Bid, units int) float64 {
	if len(bids) == 0 {
		return 0
	}
	best := exhaust(bids[1:], units)
	for _, b := range bids[0] {
		if b.Units <= units {
			best = max(best, b.LogGain+exhaust(bids[1:], units-b.Units))
		}
	}
	return best
}
