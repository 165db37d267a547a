package lp

import (
	"cmp"
	"slices"
)

// A hull is what a class can achieve at which cost: the lower convex hull of
// the points (rate, cost of all its time) of the kinds it runs on, and of
// idling, which achieves nothing and costs nothing.
type hull struct {
	s      *Split
	points []point
}

type point struct {
	rate, cost float64
	kind       int // -1: idle
}

func newHull(s *Split) *hull {
	return &hull{s: s, points: make([]point, 0, len(s.Capacity)+1)}
}

// build builds the hull of the class at the prices, from its cheapest point on:
// it achieves more where that costs no more.
func (h *hull) build(class int, price []float64, gain bool) {
	it := &h.s.Classes[class]
	h.points = append(h.points[:0], point{kind: -1})
	for k, r := range it.Rate {
		if r <= 0 {
			continue
		}
		p := point{rate: r, cost: it.Size * price[k], kind: k}
		if gain && it.Gain != nil {
			p.cost -= it.Gain[k]
		}
		h.points = append(h.points, p)
	}
	slices.SortFunc(h.points, func(a, b point) int {
		return cmp.Or(cmp.Compare(a.rate, b.rate), cmp.Compare(a.cost, b.cost), cmp.Compare(a.kind, b.kind))
	})
	kept := h.points[:0]
	for _, p := range h.points {
		if n := len(kept); n > 0 && kept[n-1].rate == p.rate {
			continue // as fast, and not cheaper
		}
		for len(kept) > 0 && (kept[len(kept)-1].cost >= p.cost || len(kept) > 1 && onOrAboveLine(kept[len(kept)-2], kept[len(kept)-1], p)) {
			kept = kept[:len(kept)-1]
		}
		kept = append(kept, p)
	}
	h.points = kept
}

// onOrAboveLine reports whether b lies on or above the line from a to c.
func onOrAboveLine(a, b, c point) bool {
	return (b.cost-a.cost)*(c.rate-a.rate) >= (c.cost-a.cost)*(b.rate-a.rate)
}

// cheapest puts the cheapest way to achieve need into x and returns its cost.
func (h *hull) cheapest(need float64, x []float64) (cost float64, ok bool) {
	p := h.points
	if need <= p[0].rate {
		p[0].addTo(x, 1)
		return p[0].cost, true
	}
	for i := 1; i < len(p); i++ {
		if a, b := p[i-1], p[i]; need <= b.rate {
			part := (need - a.rate) / (b.rate - a.rate)
			a.addTo(x, 1-part)
			b.addTo(x, part)
			return a.cost + part*(b.cost-a.cost), true
		}
	}
	last := p[len(p)-1]
	if need > last.rate*(1+1e-9) {
		return 0, false
	}
	last.addTo(x, 1)
	return last.cost, true
}

// slope is what one more unit of need would cost; 0 where nothing is to be had.
func (h *hull) slope(need float64) float64 {
	p := h.points
	for i := 1; i < len(p); i++ {
		if a, b := p[i-1], p[i]; need > a.rate && need <= b.rate*(1+1e-9) {
			return (b.cost - a.cost) / (b.rate - a.rate)
		}
	}
	return 0
}

func (p point) addTo(x []float64, share float64) {
	if p.kind >= 0 {
		x[p.kind] += share
	}
}
