package bundles

import (
	"math"
)

// halvings is how often the range of a price is halved.
const halvings = 24

// Best gives each item, of one or more bundles, the one that is worth most to it at prices at which all
// fit, and then fills up what they leave. It returns also a bound: no choice within the capacity is worth
// more. Where the first bundles of all items do not fit together they get those, and the bound is minus
// infinity.
func Best(capacity [2]float64, items [][]Bundle) (chosen []int, bound float64) {
	m := &market{capacity: capacity, items: items, bound: math.Inf(1), chosen: make([]int, len(items))}
	var first [2]float64
	for _, bundles := range items {
		first[0] += bundles[0].Amounts[0]
		first[1] += bundles[0].Amounts[1]
	}
	if !m.fits(first) {
		return m.chosen, math.Inf(-1)
	}
	dear := m.greatestPrice()
	low, high := 0., dear[1]
	if !m.fitsAtBest(0, dear[0]) {
		for range halvings {
			if mid := (low + high) / 2; m.fitsAtBest(mid, dear[0]) {
				high = mid
			} else {
				low = mid
			}
		}
		if !m.fitsAtBest(high, dear[0]) {
			return Fill(capacity, items, make([]int, len(items))), m.bound
		}
	}
	return Fill(capacity, items, m.chosen), m.bound
}

// market is one Best under way.
type market struct {
	capacity [2]float64
	items    [][]Bundle
	chosen   []int   // at the last prices
	bound    float64 // the least seen
}

func (m *market) fits(used [2]float64) bool {
	return used[0] <= m.capacity[0]*(1+roundingPart) && used[1] <= m.capacity[1]*(1+roundingPart)
}

// greatestPrice are prices above which no item takes more than the least of a resource.
func (m *market) greatestPrice() [2]float64 {
	most, least, widest := 0., [2]float64{math.Inf(1), math.Inf(1)}, 0.
	for _, bundles := range m.items {
		for _, b := range bundles {
			widest = max(widest, math.Abs(b.Worth))
			for k, a := range b.Amounts {
				if d := math.Abs(a - bundles[0].Amounts[k]); d > 0 {
					least[k] = min(least[k], d)
				}
			}
		}
	}
	most = 2 * widest
	return [2]float64{most / least[0], most / least[1]}
}

// fitsAtBest looks for the least price of the first resource, up to the greatest, at which no more of it is
// taken than there is, at a price of the second. It reports whether of that, too, no more is taken then.
func (m *market) fitsAtBest(second, greatest float64) bool {
	used := m.choose([2]float64{0, second})
	if used[0] > m.capacity[0]*(1+roundingPart) {
		low, high := 0., greatest
		for range halvings {
			if mid := (low + high) / 2; m.choose([2]float64{mid, second})[0] > m.capacity[0]*(1+roundingPart) {
				low = mid
			} else {
				high = mid
			}
		}
		used = m.choose([2]float64{high, second})
	}
	return m.fits(used)
}

// choose lets each item choose at prices, and returns what they take. It lowers the bound where the prices
// tell a better one.
func (m *market) choose(price [2]float64) (used [2]float64) {
	bound := price[0]*m.capacity[0] + price[1]*m.capacity[1]
	for i, bundles := range m.items {
		best, most := 0, math.Inf(-1)
		for k, b := range bundles {
			if v := b.Worth - price[0]*b.Amounts[0] - price[1]*b.Amounts[1]; v > most {
				best, most = k, v
			}
		}
		m.chosen[i] = best
		used[0] += bundles[best].Amounts[0]
		used[1] += bundles[best].Amounts[1]
		bound += most
	}
	m.bound = min(m.bound, bound)
	return used
}
