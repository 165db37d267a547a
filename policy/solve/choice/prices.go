package choice

import (
	"math"

	"fairbridge/policy/solve/lp"
)

// The cutting planes end when they bound the best prices that closely, or after so many for
// each resource.
const (
	priceTolerance  = 1e-8 // of the bound
	cutsPerResource = 40
)

// cut is what the items choose at some prices: at no others do they cost more than that.
type cut struct {
	cost float64
	uses []float64 // by resource
}

// priceSearch is the search for prices.
type priceSearch struct{ *search }

// findPrices finds the prices at which the items, each choosing for itself, cost the most
// together less what the capacities are worth. That is a bound from below. What they choose
// there is the choice so far; it may take too much.
func (s *priceSearch) findPrices() {
	at, most := make([]float64, len(s.Capacities)), s.greatestPrices()
	s.bound = math.Inf(-1)
	best, cuts := make([]float64, len(at)), []cut(nil)
	for range cutsPerResource*len(at) + 1 {
		copy(s.prices, at)
		c := s.cheapest(nil)
		cuts = append(cuts, c)
		if v := s.bound; s.dual(c) > v {
			s.bound = s.dual(c)
			copy(best, at)
		}
		reachable, ok := s.nextPrices(cuts, most, at)
		if !ok || reachable-s.bound <= priceTolerance*max(math.Abs(s.bound), 1) {
			break
		}
	}
	copy(s.prices, best)
	s.choosePriced()
}

// greatestPrices are prices by resource at which no item takes any of it.
func (s *priceSearch) greatestPrices() []float64 {
	most := make([]float64, len(s.Capacities))
	for i, kept := range s.kept {
		for _, o := range kept {
			x := &s.Items[i].Options[o]
			most[x.Resource] = max(most[x.Resource], (s.Items[i].NoneCost-x.Cost)/float64(x.Amount))
		}
	}
	return most
}

// cheapest sums what the items choose at the prices, and notes it in chosen unless that is
// nil.
func (s *priceSearch) cheapest(chosen []int) cut {
	c := cut{uses: make([]float64, len(s.Capacities))}
	for i := range s.Items {
		best, least := -1, s.Items[i].NoneCost
		for _, o := range s.kept[i] {
			if v := s.pricedCost(i, o); v < least {
				best, least = o, v
			}
		}
		c.cost += s.cost(i, best)
		if best >= 0 {
			x := &s.Items[i].Options[best]
			c.uses[x.Resource] += float64(x.Amount)
		}
		if chosen != nil {
			chosen[i] = best
		}
	}
	return c
}

// dual is the bound that the prices give.
func (s *priceSearch) dual(c cut) float64 {
	v := c.cost
	for t, price := range s.prices {
		v += price * (c.uses[t] - float64(s.Capacities[t]))
	}
	return v
}

// nextPrices puts into at prices at which the cuts allow the greatest bound, half the way
// from the best so far, and returns that bound; ok is false where it cannot be found.
func (s *priceSearch) nextPrices(cuts []cut, most, at []float64) (reachable float64, ok bool) {
	shift := 0.0 // makes the bound a variable that is not negative
	for _, c := range cuts {
		shift = min(shift, c.cost)
	}
	p := lp.Problem{Objective: []float64{1}}
	for t := range most {
		p.Objective = append(p.Objective, -float64(s.Capacities[t]))
		row := make([]float64, len(most)+1)
		row[t+1] = 1
		p.Rows, p.Bounds = append(p.Rows, row), append(p.Bounds, most[t])
	}
	for _, c := range cuts {
		row := []float64{1}
		for _, u := range c.uses {
			row = append(row, -u)
		}
		p.Rows, p.Bounds = append(p.Rows, row), append(p.Bounds, c.cost-shift)
	}
	best, err := p.Maximize()
	if err != nil {
		return 0, false
	}
	copy(at, best.X[1:])
	return best.Value + shift, true
}

// choosePriced lets every item choose at the prices.
func (s *priceSearch) choosePriced() {
	c := s.cheapest(s.chosen)
	for t := range s.left {
		s.left[t] = s.Capacities[t] - int(c.uses[t])
	}
}
