package lp

import (
	"slices"
)

// A column is what all classes choose at some prices.
type column struct {
	x    [][]float64
	use  []float64 // by kind of capacity
	gain float64
}

// choose lets every class choose at the prices. The value is the cost of all,
// or with gain their profit. ok is false when one cannot meet its need.
func (s *Split) choose(h *hull, price, need []float64, gain bool) (c column, value float64, ok bool) {
	m := len(s.Capacity)
	cells := make([]float64, len(s.Classes)*m)
	x := make([][]float64, len(s.Classes))
	for i := range s.Classes {
		x[i] = cells[i*m : (i+1)*m : (i+1)*m]
		h.build(i, price, gain)
		cost, met := h.cheapest(need[i], x[i])
		if !met {
			return column{}, 0, false
		}
		value += s.Classes[i].Count * cost
	}
	if gain {
		value = -value
	}
	return s.columnOf(x), value, true
}

func (s *Split) columnOf(x [][]float64) column {
	c := column{x: x, use: make([]float64, len(s.Capacity))}
	for i := range s.Classes {
		it := &s.Classes[i]
		for k, v := range x[i] {
			if v == 0 {
				continue
			}
			c.use[k] += it.Count * it.Size * v
			if it.Gain != nil {
				c.gain += it.Count * it.Gain[k] * v
			}
		}
	}
	return c
}

// repeats reports whether the column brings nothing that others do not.
func (c column) repeats(others []column) bool {
	return slices.ContainsFunc(others, func(o column) bool { return c.gain == o.gain && slices.Equal(c.use, o.use) })
}

// minimizeMixLoad mixes the columns so that the largest used share of a kind is smallest:
// a matrix game, as a Problem whose start is known. Its prices are the other side's
// strategy.
func (s *Split) minimizeMixLoad(columns []column) (mix []float64, load float64, price []float64, err error) {
	lp := Problem{Objective: make([]float64, len(columns))}
	for j := range columns {
		lp.Objective[j] = 1
	}
	for k, c := range s.Capacity {
		row := make([]float64, len(columns))
		for j, col := range columns {
			row[j] = col.use[k] / c
		}
		lp.Rows, lp.Bound = append(lp.Rows, row), append(lp.Bound, 1)
	}
	best, err := lp.Maximize()
	if err == ErrUnbounded || best.Value <= 0 { // no class needs anything
		mix = make([]float64, len(columns))
		mix[len(mix)-1] = 1
		return mix, 0, s.evenPrice(), nil
	}
	if err != nil {
		return nil, 0, nil, err
	}
	load = 1 / best.Value
	price = best.Prices
	for k := range price {
		price[k] *= load / s.Capacity[k]
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

// maximizeMix mixes the columns so that the gain is largest within the capacity, but
// for loose. The first column fits; the others are counted as changes to it.
func (s *Split) maximizeMix(columns []column) (mix []float64, value float64, price []float64, err error) {
	base, n := columns[0], len(columns)-1
	lp := Problem{Objective: make([]float64, n)}
	for k := range s.Capacity {
		row := make([]float64, n)
		for j, col := range columns[1:] {
			row[j] = col.use[k] - base.use[k]
		}
		lp.Rows, lp.Bound = append(lp.Rows, row), append(lp.Bound, max(s.Capacity[k]-base.use[k], 0)+capacityTolerance*s.Capacity[k])
	}
	row := make([]float64, n)
	for j, col := range columns[1:] {
		row[j], lp.Objective[j] = 1, col.gain-base.gain
	}
	lp.Rows, lp.Bound = append(lp.Rows, row), append(lp.Bound, 1)
	best, err := lp.Maximize()
	if err != nil {
		return nil, 0, nil, err
	}
	mix = append([]float64{1}, best.X...)
	for _, v := range best.X {
		mix[0] -= v
	}
	mix[0] = max(mix[0], 0)
	return mix, base.gain + best.Value, best.Prices[:len(s.Capacity)], nil
}

// moveWithin moves x towards the column, which fits, until it fits too. There is
// something to do only where rounding got the better of master.
func (s *Split) moveWithin(fits column, x [][]float64) [][]float64 {
	part := 1.0
	for k, use := range s.columnOf(x).use {
		if most := s.Capacity[k] * (1 + capacityTolerance); use > most {
			part = min(part, max(most-fits.use[k], 0)/(use-fits.use[k]))
		}
	}
	if part == 1 {
		return x
	}
	return mixColumns([]column{fits, {x: x}}, []float64{1 - part, part})
}

// mixColumns adds the columns up by their shares, which are to sum to 1 and nearly
// do.
func mixColumns(columns []column, mix []float64) [][]float64 {
	sum := 0.0
	for _, v := range mix {
		sum += v
	}
	x := make([][]float64, len(columns[0].x))
	for i := range x {
		x[i] = make([]float64, len(columns[0].x[i]))
		for j, c := range columns {
			if mix[j] <= 0 {
				continue
			}
			for k, v := range c.x[i] {
				x[i][k] += mix[j] / sum * v
			}
		}
	}
	return x
}
