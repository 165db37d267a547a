package lp

import (
	"errors"
	"math"
)

// Class is a number of alike parties to a Split. By symmetry and convexity they
// all get the same fractions, so a class costs as much as one of them.
type Class struct {
	Count float64   // how many there are
	Size  float64   // units of capacity one takes while it runs
	Rate  []float64 // what one achieves per unit of time, by kind of capacity; 0: cannot run there
	Gain  []float64 // what one adds to the objective per unit of time, by kind; nil: nothing
}

// Split divides several kinds of capacity among classes as fractions of time
// x[i][k] >= 0 with sum_k x[i][k] <= 1 and sum_i Count·Size·x[i][k] <=
// Capacity[k].
//
// Given a price for each kind, every class decides alone, and its choice is a
// step along a convex hull of a few points (see hull). What is left is to find
// the prices: one number per kind, by column generation, where a column is the
// choice of all classes at some prices. So a Split of n classes on m kinds takes
// O(n·m²) a step and some tens of steps, where a general Problem would have n rows.
type Split struct {
	Capacity []float64
	Classes  []Class
}

// Division is what a Split finds.
type Division struct {
	X          [][]float64 // by class and kind
	Load       float64     // see MinimizeLoad; 1 is full
	Prices     []float64   // by kind: see MinimizeLoad and MaximizeGain
	NeedPrices []float64   // by class: what one more unit of one's need would cost at these prices
}

// ErrNeedTooLarge says that a class needs more than it achieves with all its time.
var ErrNeedTooLarge = errors.New("a need exceeds what the fastest kind achieves")

const (
	maxColumns    = 400
	maxDualityGap = 1e-11
)

// MinimizeLoad finds fractions that meet every need (sum_k Rate·x, one per class)
// with the smallest Load: the largest share of any kind of capacity that is
// used. Prices are normalised to sum Prices·Capacity = 1, so they say what Load
// is made of.
func (s *Split) MinimizeLoad(need []float64) (*Division, error) { return s.cheapest(need, 0, 0) }

// cheapest may stop early, once the load is surely at most fine, or surely more
// than hopeless; 0: neither.
func (s *Split) cheapest(need []float64, fine, hopeless float64) (*Division, error) {
	h := newHull(s)
	price := s.evenPrice()
	var columns []column
	best := &Division{}
	for range maxColumns {
		col, cost, ok := s.choose(h, price, need, false)
		if !ok {
			return nil, ErrNeedTooLarge
		}
		columns = append(columns, col)
		mix, load, next, err := s.minimizeMixLoad(columns)
		if err != nil {
			return nil, err
		}
		best.Load = load
		if load-cost <= maxDualityGap*max(1, load) || load <= fine || (hopeless > 0 && cost > hopeless) || col.repeats(columns[:len(columns)-1]) {
			best.X, best.Prices = mixColumns(columns, mix), price
			best.NeedPrices = s.needPrices(h, price, need)
			return best, nil
		}
		price = next
	}
	return nil, ErrStalled
}

// MaximizeGain finds fractions that meet every need and maximise the sum of Count·Gain·x.
func (s *Split) MaximizeGain(need []float64) (*Division, error) {
	first, err := s.cheapest(need, 0, 0)
	if err != nil {
		return nil, err
	}
	if first.Load > 1+1e-9 {
		return nil, ErrInfeasible
	}
	h := newHull(s)
	columns := []column{s.columnOf(first.X)}
	price := make([]float64, len(s.Capacity))
	for range maxColumns {
		col, profit, _ := s.choose(h, price, need, true)
		bound := profit + dotProduct(price, s.Capacity)
		columns = append(columns, col)
		mix, value, next, err := s.maximizeMix(columns)
		if err != nil {
			return nil, err
		}
		if bound-value <= 1e-10*max(1, math.Abs(value)) || col.repeats(columns[:len(columns)-1]) {
			x := s.moveWithin(columns[0], mixColumns(columns, mix))
			return &Division{X: x, Load: s.load(x), Prices: price, NeedPrices: s.needPrices(h, price, need)}, nil
		}
		price = next
	}
	return nil, ErrStalled
}

func (s *Split) evenPrice() []float64 {
	price := make([]float64, len(s.Capacity))
	sum := 0.0
	for _, c := range s.Capacity {
		sum += c
	}
	for k := range price {
		price[k] = 1 / sum
	}
	return price
}

// load is the largest used share of a kind of capacity.
func (s *Split) load(x [][]float64) float64 {
	most := 0.0
	for k, u := range s.columnOf(x).use {
		most = max(most, u/s.Capacity[k])
	}
	return most
}

func (s *Split) needPrices(h *hull, price, need []float64) []float64 {
	p := make([]float64, len(s.Classes))
	for i := range s.Classes {
		h.build(i, price, false)
		p[i] = h.slope(need[i])
	}
	return p
}

func dotProduct(a, b []float64) float64 {
	sum := 0.0
	for i, v := range a {
		sum += v * b[i]
	}
	return sum
}
