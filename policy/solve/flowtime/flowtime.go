// Package flowtime says what work of each of many jobs is worth if the sum of the times until
// each is done shall be least, for jobs that share something divisible and go faster the more each has of it, by
// curves of their own.
//
// That is the maximum principle of optimal control (L. S. Pontryagin et al., 1962). Work of a job has a
// price that does not change until it ends, and at every moment the shares are those with which
// what is done is worth the most. While n jobs are there that is worth n, as so many seconds are
// waited each second. So the job that ends last is worth one over the greatest speed it can have, and each
// before it so much that it and those after it can just do what they are worth together. Where all
// speeds are the same power of the share this is heSRPT (B. Berg, R. Vesilo, M. Harchol-Balter, "heSRPT:
// Parallel scheduling to minimize mean slowdown", Performance 2020), where they are in proportion the
// shortest remaining time first, and where there is enough for all every job counts by its greatest speed.
package flowtime

import (
	"cmp"
	"math"
	"slices"
)

// Option is a share a job may have.
type Option struct {
	Amount float64 // of what is shared, > 0
	Speed  float64 // work a second
}

// The prices of what is shared that are looked at: each is lower than the one before by gridRatio, until gridSpan
// below the greatest that any job could pay. What work is worth is right within a hundredth by that.
const (
	gridRatio = 1.15
	gridSpan  = 1e6
)

// leastSpeed is the speed below which a job never gets on: what its work is worth is to be a number.
const leastSpeed = 1e-100

// Worths returns what a unit of work of each job is worth, in seconds that jobs wait. The jobs are
// in the order in which they will end, the last first; each may have one of its options. A job that
// never gets on is worth nothing, and counts for none.
func Worths(capacity float64, jobs [][]Option) []float64 {
	worths := make([]float64, len(jobs))
	m := newMarket(capacity, len(jobs))
	for i, options := range jobs {
		if hull := upperHull(options); len(hull) > 0 {
			worths[i] = m.findWorth(hull)
			m.take(hull, worths[i])
		}
	}
	return worths
}

// market is what the jobs so far can do together, by the price of what is shared.
type market struct {
	prices []float64
	// unpaid is by how much the seconds they wait exceed all that they can get at a price: what they do less
	// what it takes, and the whole of what is shared. It is never more than 0 at the price that clears.
	unpaid []float64
}

func newMarket(capacity float64, jobs int) *market {
	capacity = max(capacity, 1)
	m := &market{}
	for p := float64(jobs) / capacity; p*capacity*gridSpan > 1; p /= gridRatio {
		m.prices = append(m.prices, p)
	}
	m.prices = append(m.prices, 0)
	for _, p := range m.prices {
		m.unpaid = append(m.unpaid, -p*capacity)
	}
	return m
}

// findWorth returns the least worth with which one job more is paid for at every price.
func (m *market) findWorth(hull []Option) float64 {
	worth := 0.
	for g, p := range m.prices {
		if need := m.unpaid[g] + 1; need > 0 {
			least := math.Inf(1)
			for _, o := range hull {
				least = min(least, (need+p*o.Amount)/o.Speed)
			}
			worth = max(worth, least)
		}
	}
	return worth
}

// take counts a job with the others.
func (m *market) take(hull []Option, worth float64) {
	for g, p := range m.prices {
		profit := 0.
		for _, o := range hull {
			profit = max(profit, worth*o.Speed-p*o.Amount)
		}
		m.unpaid[g] += 1 - profit
	}
}

// upperHull returns the options that some price makes the best, ascending: along them speed grows ever
// more slowly.
func upperHull(options []Option) []Option {
	sorted := slices.Clone(options)
	slices.SortStableFunc(sorted, func(a, b Option) int {
		return cmp.Or(cmp.Compare(a.Amount, b.Amount), cmp.Compare(b.Speed, a.Speed))
	})
	hull := []Option{{}}
	for _, o := range sorted {
		if !(o.Amount > 0) || !(o.Speed >= leastSpeed) || !(o.Speed > hull[len(hull)-1].Speed) || math.IsInf(o.Speed, 1) {
			continue
		}
		for len(hull) > 1 && slope(hull[len(hull)-2], hull[len(hull)-1]) <= slope(hull[len(hull)-1], o) {
			hull = hull[:len(hull)-1]
		}
		hull = append(hull, o)
	}
	return hull[1:]
}

// slope is how much faster a job gets for each unit more.
func slope(from, to Option) float64 { return (to.Speed - from.Speed) / (to.Amount - from.Amount) }
