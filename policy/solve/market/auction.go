// Package market divides goods: by prices that clear Fisher's market, by a
// proportionally fair auction, and by trades between two kinds of a good.
package market

import (
	"math"
)

// Bid is what a bidder gains from a number of units: the logarithm of how many
// times better off it is than with none.
type Bid struct {
	Units   int
	LogGain float64
}

// Auction is proportionally fair: it maximises the product of how many times
// better off the bidders are. Each bidder wins at most one of its bids.
type Auction struct {
	Units int     // there are
	Bids  [][]Bid // by bidder; units of at least 1
}

// WinningBids returns the bid that each bidder wins, -1 for none, by dynamic
// programming over units: exact, in bids times units. Of equal results it takes
// the one with fewer units for later bidders.
func (a Auction) WinningBids() []int {
	w, won := max(a.Units, 0), make([]int, len(a.Bids))
	taken := make([][]int16, len(a.Bids))
	best := make([]float64, w+1)
	for i, bids := range a.Bids {
		taken[i] = make([]int16, w+1)
		best = addBidderToSums(best, bids, taken[i])
	}
	for i, left := len(won)-1, w; i >= 0; i-- {
		won[i] = int(taken[i][left]) - 1
		if won[i] >= 0 {
			left -= a.Bids[i][won[i]].Units
		}
	}
	return won
}

// addBidderToSums returns the best sums once the bidder takes part, given those without
// it, by units; taken, if there, becomes one more than the bid chosen. It may
// overwrite best.
func addBidderToSums(best []float64, bids []Bid, taken []int16) []float64 {
	for u := len(best) - 1; u >= 0; u-- {
		sum, at := best[u], -1
		for k, b := range bids {
			if b.Units > u || b.Units < 1 {
				continue
			}
			if with := best[u-b.Units] + b.LogGain; with > sum {
				sum, at = with, k
			}
		}
		best[u] = sum
		if taken != nil {
			taken[u] = int16(at + 1)
		}
	}
	return best
}

// KeptFractions returns, per bidder, the part of what it wins that it may keep so that
// no bidder gains by lying: how much worse off, as a ratio of products, the others
// are for its taking part. It is 1 for one that wins nothing.
//
// R. Cole, V. Gkatzelis, G. Goel, "Mechanism Design for Fair Division:
// Allocating Divisible Items without Payments", EC 2013.
func (a Auction) KeptFractions(won []int) []float64 {
	n, w := len(a.Bids), max(a.Units, 0)
	before := make([][]float64, n+1) // best sums of the bidders before
	before[0] = make([]float64, w+1)
	sum := 0.0
	for i, bids := range a.Bids {
		before[i+1] = addBidderToSums(append([]float64(nil), before[i]...), bids, nil)
		sum += gainOfWonBid(bids, won[i])
	}
	kept, after := make([]float64, n), make([]float64, w+1)
	for i := n - 1; i >= 0; i-- {
		kept[i] = 1
		if won[i] >= 0 {
			kept[i] = min(math.Exp(sum-gainOfWonBid(a.Bids[i], won[i])-bestSumOfGroups(before[i], after)), 1)
		}
		after = addBidderToSums(after, a.Bids[i], nil)
	}
	return kept
}

// bestSumOfGroups returns the best sum of two groups of bidders that share all units.
func bestSumOfGroups(before, after []float64) float64 {
	best, w := 0.0, len(before)-1
	for u := range before {
		best = max(best, before[u]+after[w-u])
	}
	return best
}

func gainOfWonBid(bids []Bid, won int) float64 {
	if won < 0 {
		return 0
	}
	return bids[won].LogGain
}
