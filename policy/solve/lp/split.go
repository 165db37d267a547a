package lp

import (
	"errors"
	"math"
)

// PartyClass is a number of alike parties to a SplitProblem. By symmetry and convexity they
// all get the same fractions, so a class costs as much as one of them.
type PartyClass struct {
	Count      float64   // how many there are
	Size       float64   // units of capacity one takes while it runs
	RateByKind []float64 // what one achieves per unit of time, by kind of capacity; 0: cannot run there
	GainByKind []float64 // what one adds to the objective per unit of time, by kind; nil: nothing
}

// SplitProblem divides several kinds of capacity among classes as fractions of time
// x[i][k] >= 0 with sum_k x[i][k] <= 1 and sum_i Count·Size·x[i][k] <=
// CapacityByKind[k].
//
// Given a price for each kind, every class decides alone, and its choice is a
// step along a convex hull of a few points (see costHull). What is left is to find
// the prices: one number per kind, by column generation, where a column is the
// choice of all classes at some prices. So a SplitProblem of n classes on m kinds takes
// O(n·m²) a step and some tens of steps, where a general Problem would have n rows.
type SplitProblem struct {
	CapacityByKind []float64
	Classes        []PartyClass
}

// SplitSolution is what a SplitProblem finds.
type SplitSolution struct {
	Fractions  [][]float64 // by class and kind
	Load       float64     // see minimizeLoad; 1 is full
	Prices     []float64   // by kind: see minimizeLoad and MaximizeGain
	NeedPrices []float64   // by class: what one more unit of one's need would cost at these prices
}

// ErrNeedTooLarge says that a class needs more than it achieves with all its time.
var ErrNeedTooLarge = errors.New("a need exceeds what the fastest kind achieves")

const (
	maxColumns    = 400
	maxDualityGap = 1e-11
)

// minimizeLoad finds fractions that meet every need (sum_k RateByKind·x, one per class)
// with the smallest Load: the largest share of any kind of capacity that is
// used. Prices are normalised to sum Prices·CapacityByKind = 1, so they say what Load
// is made of. It may stop early, once the load is surely at most fine, or surely more than hopeless; 0: neither.
func (s *SplitProblem) minimizeLoad(need []float64, fine, hopeless float64) (*SplitSolution, error) {
	h := newCostHull(s)
	price := s.evenPrices()
	var columns []column
	best := &SplitSolution{}
	for range maxColumns {
		col, cost, ok := s.chooseColumn(h, price, need, false)
		if !ok {
			return nil, ErrNeedTooLarge
		}
		columns = append(columns, col)
		mix, load, next, err := s.minimizeMixLoad(columns)
		if err != nil {
			return nil, err
		}
		best.Load = load
		if load-cost <= maxDualityGap*max(1, load) || load <= fine || (hopeless > 0 && cost > hopeless) || col.isRepeatOf(columns[:len(columns)-1]) {
			best.Fractions, best.Prices = mixColumns(columns, mix), price
			best.NeedPrices = s.needPrices(h, price, need)
			return best, nil
		}
		price = next
	}
	return nil, ErrStalled
}

// MaximizeGain finds fractions that meet every need and maximise the sum of Count·GainByKind·x.
func (s *SplitProblem) MaximizeGain(need []float64) (*SplitSolution, error) {
	first, err := s.minimizeLoad(need, 0, 0)
	if err != nil {
		return nil, err
	}
	if first.Load > 1+1e-9 {
		return nil, ErrInfeasible
	}
	h := newCostHull(s)
	columns := []column{s.newColumn(first.Fractions)}
	price := make([]float64, len(s.CapacityByKind))
	for range maxColumns {
		col, profit, _ := s.chooseColumn(h, price, need, true)
		bound := profit + dotProduct(price, s.CapacityByKind)
		columns = append(columns, col)
		mix, value, next, err := s.maximizeMixGain(columns)
		if err != nil {
			return nil, err
		}
		if bound-value <= 1e-10*max(1, math.Abs(value)) || col.isRepeatOf(columns[:len(columns)-1]) {
			x := s.moveWithinCapacity(columns[0], mixColumns(columns, mix))
			return &SplitSolution{Fractions: x, Load: s.largestUsedShare(x), Prices: price, NeedPrices: s.needPrices(h, price, need)}, nil
		}
		price = next
	}
	return nil, ErrStalled
}

func (s *SplitProblem) evenPrices() []float64 {
	price := make([]float64, len(s.CapacityByKind))
	sum := 0.0
	for _, c := range s.CapacityByKind {
		sum += c
	}
	for k := range price {
		price[k] = 1 / sum
	}
	return price
}

// largestUsedShare is the largest used share of a kind of capacity.
func (s *SplitProblem) largestUsedShare(x [][]float64) float64 {
	most := 0.0
	for k, u := range s.newColumn(x).usedCapacity {
		most = max(most, u/s.CapacityByKind[k])
	}
	return most
}

func (s *SplitProblem) needPrices(h *costHull, price, need []float64) []float64 {
	p := make([]float64, len(s.Classes))
	for i := range s.Classes {
		h.buildForClass(i, price, false)
		p[i] = h.needPrice(need[i])
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

// MaximizeLevel finds fractions at which every class achieves base + level·ref, one per
// class, with the largest level. SplitSolution.NeedPrices then tells the bottlenecks: a
// class with such a price cannot have more without another having less.
//
// The load as a function of the level is convex and consists of straight
// pieces, so Newton's method from the right finds where it is full in a few
// steps, and exactly.
func (s *SplitProblem) MaximizeLevel(base, ref []float64) (level float64, c *SplitSolution, err error) {
	level = math.Inf(1)
	for i := range s.Classes {
		if ref[i] > 0 {
			level = min(level, max(s.fastestRate(i)-base[i], 0)/ref[i])
		}
	}
	if math.IsInf(level, 1) {
		level = 0
	}
	need := make([]float64, len(s.Classes))
	for range maxColumns {
		for i := range need {
			need[i] = min(base[i]+level*ref[i], s.fastestRate(i))
		}
		if c, err = s.minimizeLoad(need, 0, 0); err != nil || c.Load <= 1+1e-10 {
			return level, c, err
		}
		slope := 0.0
		for i, it := range s.Classes {
			slope += it.Count * c.NeedPrices[i] * ref[i]
		}
		if slope <= 0 || level == 0 {
			return level, c, ErrInfeasible
		}
		level = max(level-(c.Load-1)/slope, 0)
	}
	return level, c, ErrStalled
}

// fastestRate is what the class achieves with all its time where it is fastest.
func (s *SplitProblem) fastestRate(class int) float64 {
	best := 0.0
	for _, r := range s.Classes[class].RateByKind {
		best = max(best, r)
	}
	return best
}

// FindLeastFeasible returns the least z in [low, high] for which the needs fit, within
// the factor 1+within, and fractions that meet them. needs is decreasing in z;
// it may report that there is no way at all (+Inf). What does not fit at high
// is an ErrInfeasible.
func (s *SplitProblem) FindLeastFeasible(low, high, within float64, needs func(z float64, need []float64)) (float64, *SplitSolution, error) {
	need := make([]float64, len(s.Classes))
	fits := func(z float64) (*SplitSolution, error) {
		needs(z, need)
		for i, n := range need {
			if n > s.fastestRate(i)*(1+1e-12) {
				return nil, nil
			}
		}
		c, err := s.minimizeLoad(need, 1, 1)
		if err != nil || c.Load > 1 {
			return nil, err
		}
		return c, nil
	}
	best, err := fits(high)
	if best == nil {
		if err == nil {
			err = ErrInfeasible
		}
		return high, nil, err
	}
	for high > low*(1+within) {
		mid := math.Sqrt(low * high)
		c, err := fits(mid)
		switch {
		case err != nil:
			return high, nil, err
		case c != nil:
			high, best = mid, c
		default:
			low = mid
		}
	}
	return high, best, nil
}
