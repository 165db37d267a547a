package lp

import (
	"cmp"
	"slices"
)

// A costHull is what a class can achieve at which cost: the lower convex hull of
// the points (rate, cost of all its time) of the kinds it runs on, and of
// idling, which achieves nothing and costs nothing.
type costHull struct {
	split      *SplitProblem
	hullPoints []hullPoint
}

type hullPoint struct {
	rate, cost float64
	kind       int // -1: idle
}

func newCostHull(s *SplitProblem) *costHull {
	return &costHull{split: s, hullPoints: make([]hullPoint, 0, len(s.CapacityByKind)+1)}
}

// buildForClass builds the hull of the class at the prices, from its cheapest point on:
// it achieves more where that costs no more.
func (h *costHull) buildForClass(class int, price []float64, gain bool) {
	it := &h.split.Classes[class]
	h.hullPoints = append(h.hullPoints[:0], hullPoint{kind: -1})
	for k, r := range it.RateByKind {
		if r <= 0 {
			continue
		}
		p := hullPoint{rate: r, cost: it.Size * price[k], kind: k}
		if gain && it.GainByKind != nil {
			p.cost -= it.GainByKind[k]
		}
		h.hullPoints = append(h.hullPoints, p)
	}
	slices.SortFunc(h.hullPoints, func(a, b hullPoint) int {
		return cmp.Or(cmp.Compare(a.rate, b.rate), cmp.Compare(a.cost, b.cost), cmp.Compare(a.kind, b.kind))
	})
	kept := h.hullPoints[:0]
	for _, p := range h.hullPoints {
		if n := len(kept); n > 0 && kept[n-1].rate == p.rate {
			continue // as fast, and not cheaper
		}
		for len(kept) > 0 && (kept[len(kept)-1].cost >= p.cost || len(kept) > 1 && onOrAboveLine(kept[len(kept)-2], kept[len(kept)-1], p)) {
			kept = kept[:len(kept)-1]
		}
		kept = append(kept, p)
	}
	h.hullPoints = kept
}

// onOrAboveLine reports whether b lies on or above the line from a to c.
func onOrAboveLine(a, b, c hullPoint) bool {
	return (b.cost-a.cost)*(c.rate-a.rate) >= (c.cost-a.cost)*(b.rate-a.rate)
}

// cheapestFractions puts the cheapest way to achieve need into x and returns its cost.
func (h *costHull) cheapestFractions(need float64, x []float64) (cost float64, ok bool) {
	p := h.hullPoints
	if need <= p[0].rate {
		p[0].addFraction(x, 1)
		return p[0].cost, true
	}
	for i := 1; i < len(p); i++ {
		if a, b := p[i-1], p[i]; need <= b.rate {
			part := (need - a.rate) / (b.rate - a.rate)
			a.addFraction(x, 1-part)
			b.addFraction(x, part)
			return a.cost + part*(b.cost-a.cost), true
		}
	}
	last := p[len(p)-1]
	if need > last.rate*(1+1e-9) {
		return 0, false
	}
	last.addFraction(x, 1)
	return last.cost, true
}

// needPrice is what one more unit of need would cost; 0 where nothing is to be had.
func (h *costHull) needPrice(need float64) float64 {
	p := h.hullPoints
	for i := 1; i < len(p); i++ {
		if a, b := p[i-1], p[i]; need > a.rate && need <= b.rate*(1+1e-9) {
			return (b.cost - a.cost) / (b.rate - a.rate)
		}
	}
	return 0
}

func (p hullPoint) addFraction(x []float64, share float64) {
	if p.kind >= 0 {
		x[p.kind] += share
	}
}
