package market

import (
	"math"
)

// SolveFisherMarket divides goods among buyers as Fisher's market with linear utilities
// does: buyer i spends its budget on the goods that give it most per price,
// prices clear the market, and the budget-weighted product of utilities is the
// largest there is (Eisenberg and Gale 1959). Each good comes once; worth[i][g]
// is what all of good g is worth to buyer i. A buyer to whom nothing is worth
// anything, or without a budget, gets nothing.
//
// It is found by proportional response (Zhang 2011): every buyer bids on each
// good in proportion to what it got from it last. It stops when no good is worth
// more than a part of 1+gap more, at its price, than what its buyer gets per
// money, or after some thousand rounds.
func SolveFisherMarket(budgets []float64, worth [][]float64, gap float64) (share [][]float64, prices []float64) {
	m := fisherMarket{budgets: budgets, worths: worth, shares: make([][]float64, len(worth))}
	for i := range worth {
		m.shares[i] = make([]float64, len(worth[i]))
		for g, v := range worth[i] {
			if v > 0 && budgets[i] > 0 {
				m.shares[i][g] = 1
			}
			if len(m.prices) <= g {
				m.prices = append(m.prices, 0)
			}
		}
	}
	for range maxFisherRounds {
		if m.updateBids(); m.isCleared(gap) {
			break
		}
	}
	return m.shares, m.prices
}

const maxFisherRounds = 20_000

type fisherMarket struct {
	budgets []float64
	worths  [][]float64
	shares  [][]float64
	prices  []float64
}

// updateBids is one round of bids, from the shares of the last.
func (m *fisherMarket) updateBids() {
	clear(m.prices)
	for i := range m.worths {
		if u := m.buyerUtility(i); u > 0 {
			for g, v := range m.worths[i] {
				m.shares[i][g] *= m.budgets[i] * v / u // its bid
				m.prices[g] += m.shares[i][g]
			}
		}
	}
	for i := range m.shares {
		for g, p := range m.prices {
			if p > 0 && g < len(m.shares[i]) {
				m.shares[i][g] /= p
			}
		}
	}
}

func (m *fisherMarket) buyerUtility(i int) float64 {
	u := 0.0
	for g, v := range m.worths[i] {
		u += v * m.shares[i][g]
	}
	return u
}

// isCleared reports whether no buyer could do better by more than the gap.
func (m *fisherMarket) isCleared(gap float64) bool {
	for i := range m.worths {
		best := 0.0
		for g, v := range m.worths[i] {
			if v > 0 && m.prices[g] > 0 {
				best = max(best, v/m.prices[g])
			}
		}
		if u := m.buyerUtility(i); u > 0 && best*m.budgets[i] > u*(1+gap) && !math.IsInf(best, 1) {
			return false
		}
	}
	return true
}
