package lp

import (
	"math"
)

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
