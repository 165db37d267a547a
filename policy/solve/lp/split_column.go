package lp

import (
	"cmp"
	"slices"
)

// A column is what all classes choose at some prices.
type column struct {
	fractions    [][]float64
	usedCapacity []float64 // by kind of capacity
	gain         float64
}

// chooseColumn lets every class choose at the prices. The value is the cost of all,
// or with gain their profit. ok is false when one cannot meet its need.
func (s *SplitProblem) chooseColumn(h *costHull, price, need []float64, gain bool) (c column, value float64, ok bool) {
	m := len(s.CapacityByKind)
	cells := make([]float64, len(s.Classes)*m)
	x := make([][]float64, len(s.Classes))
	for i := range s.Classes {
		x[i] = cells[i*m : (i+1)*m : (i+1)*m]
		h.buildForClass(i, price, gain)
		cost, met := h.cheapestFractions(need[i], x[i])
		if !met {
			return column{}, 0, false
		}
		value += s.Classes[i].Count * cost
	}
	if gain {
		value = -value
	}
	return s.newColumn(x), value, true
}

func (s *SplitProblem) newColumn(x [][]float64) column {
	c := column{fractions: x, usedCapacity: make([]float64, len(s.CapacityByKind))}
	for i := range s.Classes {
		it := &s.Classes[i]
		for k, v := range x[i] {
			if v == 0 {
				continue
			}
			c.usedCapacity[k] += it.Count * it.Size * v
			if it.GainByKind != nil {
				c.gain += it.Count * it.GainByKind[k] * v
			}
		}
	}
	return c
}

// isRepeatOf reports whether the column brings nothing that others do not.
func (c column) isRepeatOf(others []column) bool {
	return slices.ContainsFunc(others, func(o column) bool { return c.gain == o.gain && slices.Equal(c.usedCapacity, o.usedCapacity) })
}

// minimizeMixLoad mixes the columns so that the largest used share of a kind is smallest:
// a matrix game, as a Problem whose start is known. Its prices are the other side's
// strategy.
func (s *SplitProblem) minimizeMixLoad(columns []column) (mix []float64, load float64, price []float64, err error) {
	lp := Problem{Objective: make([]float64, len(columns))}
	for j := range columns {
		lp.Objective[j] = 1
	}
	for k, c := range s.CapacityByKind {
		row := make([]float64, len(columns))
		for j, col := range columns {
			row[j] = col.usedCapacity[k] / c
		}
		lp.Rows, lp.Bounds = append(lp.Rows, row), append(lp.Bounds, 1)
	}
	best, err := lp.Maximize()
	if err == ErrUnbounded || best.Value <= 0 { // no class needs anything
		mix = make([]float64, len(columns))
		mix[len(mix)-1] = 1
		return mix, 0, s.evenPrices(), nil
	}
	if err != nil {
		return nil, 0, nil, err
	}
	load = 1 / best.Value
	price = best.Prices
	for k := range price {
		price[k] *= load / s.CapacityByKind[k]
	}
	for j := range best.X {
		best.X[j] *= load
	}
	return best.X, load, price, nil
}

// capacityTolerance is the part of a capacity that may be used beyond it. Where nothing is
// left over, columns that differ by rounding alone (1e-12 and less) would
// otherwise bind, and to pivot on such numbers makes the errors large ones.
const capacityTolerance = 4e-9

// maximizeMixGain mixes the columns so that the gain is largest within the capacity, but
// for capacityTolerance. The first column fits; the others are counted as changes to it.
func (s *SplitProblem) maximizeMixGain(columns []column) (mix []float64, value float64, price []float64, err error) {
	base, n := columns[0], len(columns)-1
	lp := Problem{Objective: make([]float64, n)}
	for k := range s.CapacityByKind {
		row := make([]float64, n)
		for j, col := range columns[1:] {
			row[j] = col.usedCapacity[k] - base.usedCapacity[k]
		}
		lp.Rows, lp.Bounds = append(lp.Rows, row), append(lp.Bounds, max(s.CapacityByKind[k]-base.usedCapacity[k], 0)+capacityTolerance*s.CapacityByKind[k])
	}
	row := make([]float64, n)
	for j, col := range columns[1:] {
		row[j], lp.Objective[j] = 1, col.gain-base.gain
	}
	lp.Rows, lp.Bounds = append(lp.Rows, row), append(lp.Bounds, 1)
	best, err := lp.Maximize()
	if err != nil {
		return nil, 0, nil, err
	}
	mix = append([]float64{1}, best.X...)
	for _, v := range best.X {
		mix[0] -= v
	}
	mix[0] = max(mix[0], 0)
	return mix, base.gain + best.Value, best.Prices[:len(s.CapacityByKind)], nil
}

// moveWithinCapacity moves x towards the column, which fits, until it fits too. There is
// something to do only where rounding got the better of maximizeMixGain.
func (s *SplitProblem) moveWithinCapacity(fits column, x [][]float64) [][]float64 {
	part := 1.0
	for k, use := range s.newColumn(x).usedCapacity {
		if most := s.CapacityByKind[k] * (1 + capacityTolerance); use > most {
			part = min(part, max(most-fits.usedCapacity[k], 0)/(use-fits.usedCapacity[k]))
		}
	}
	if part == 1 {
		return x
	}
	return mixColumns([]column{fits, {fractions: x}}, []float64{1 - part, part})
}

// mixColumns adds the columns up by their shares, which are to sum to 1 and nearly
// do.
func mixColumns(columns []column, mix []float64) [][]float64 {
	sum := 0.0
	for _, v := range mix {
		sum += v
	}
	x := make([][]float64, len(columns[0].fractions))
	for i := range x {
		x[i] = make([]float64, len(columns[0].fractions[i]))
		for j, c := range columns {
			if mix[j] <= 0 {
				continue
			}
			for k, v := range c.fractions[i] {
				x[i][k] += mix[j] / sum * v
			}
		}
	}
	return x
}

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
