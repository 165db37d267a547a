// Package choice takes for each of many items at most one of its options, at the least total
// cost, within the capacities of several resources. It is the multiple-choice knapsack
// with several rows: prices of the resources (a Lagrangian relaxation, by cutting planes)
// decide for the items whose choice is clear and bound the cost from below, and a dynamic
// programme decides exactly for the rest.
package choice

import (
	"math"
	"slices"
)

// Option is a way to serve an item. It takes part of one resource.
type Option struct {
	Resource int // index in Problem.Capacities
	Amount   int // units it takes, > 0
	Cost     float64
}

// Item is served by at most one of its options.
type Item struct {
	Options  []Option
	NoneCost float64 // of serving it by none; finite
}

// Problem asks for the choice with the least sum of costs that no capacity is exceeded by.
type Problem struct {
	Capacities []int // units by resource, >= 0
	Items      []Item
	// TieSeed settles which of the choices of equal cost is taken; 0 as good as any.
	TieSeed uint64
}

// Solution is a choice that keeps all capacities.
type Solution struct {
	Chosen   []int   // by item: index of its option, -1: none
	Cost     float64 // sum of the costs
	Bound    float64 // no choice costs less; at most Cost
	IsProven bool    // no choice costs less than Cost, but for a millionth of what items gain
}

// costTolerance is the relative difference below which costs count as equal.
const costTolerance = 1e-9

// Minimize returns a choice of least or nearly least cost. Equal problems give equal
// choices.
func (p Problem) Minimize() Solution {
	s := newSearch(p)
	(&priceSearch{s}).findPrices()
	s.repair()
	s.improve()
	s.decideDoubtful()
	return s.solution(p)
}

// search is one Minimize under way. Its costs differ from those of the problem by less than
// a hair, and no two are equal: at prices at which many options cost the same, what the
// items choose each for itself would take far too much or too little.
type search struct {
	Problem
	hair    float64 // by which costs differ at most
	kept    [][]int // by item: indexes of the options worth looking at; none is always one
	chosen  []int
	left    []int // units of each resource that chosen leaves; negative while it takes too much
	prices  []float64
	bound   float64
	covered bool // decideDoubtful looked at all that may be in a better choice
}

func newSearch(p Problem) *search {
	s := &search{Problem: p, hair: hairOf(p), kept: make([][]int, len(p.Items)), chosen: make([]int, len(p.Items)), prices: make([]float64, len(p.Capacities)), left: make([]int, len(p.Capacities))}
	s.Items = slices.Clone(p.Items)
	for i := range s.Items {
		s.Items[i].Options = s.splitTies(i, p.Items[i].Options)
		for o := range s.Items[i].Options {
			if s.isWorthKeeping(i, o) {
				s.kept[i] = append(s.kept[i], o)
			}
		}
	}
	return s
}

// hairPart is the part of what options gain on average that is left out of account.
const hairPart = 1e-6

func hairOf(p Problem) float64 {
	gain, n := 0.0, 0
	for i := range p.Items {
		for _, x := range p.Items[i].Options {
			gain += math.Abs(p.Items[i].NoneCost - x.Cost)
			n++
		}
	}
	return hairPart * gain / float64(max(n, 1))
}

// splitTies returns the options of an item with costs higher by up to a hair.
func (s *search) splitTies(i int, options []Option) []Option {
	split := slices.Clone(options)
	for o := range split {
		split[o].Cost += s.hair * fraction(s.TieSeed, uint64(i), uint64(o))
	}
	return split
}

// fraction makes of numbers one in 0..1 that looks drawn (SplitMix64).
func fraction(of ...uint64) float64 {
	h := uint64(0)
	for _, n := range of {
		h += n + 0x9e3779b97f4a7c15
		h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
		h = (h ^ h>>27) * 0x94d049bb133111eb
		h ^= h >> 31
	}
	return float64(h>>11) / (1 << 53)
}

// isWorthKeeping reports whether an option fits at all, is cheaper than none, and no other
// option is as cheap and takes as little of the same resource.
func (s *search) isWorthKeeping(i, o int) bool {
	it := &s.Items[i]
	x := it.Options[o]
	if x.Amount > s.Capacities[x.Resource] || !(x.Cost < it.NoneCost) {
		return false
	}
	for k, y := range it.Options {
		if k == o || y.Resource != x.Resource || y.Amount > x.Amount || y.Cost > x.Cost {
			continue
		}
		if equal := y.Amount == x.Amount && y.Cost == x.Cost; !equal || k < o {
			return false
		}
	}
	return true
}

// cost is that of an item's option; -1: of none.
func (s *search) cost(i, o int) float64 {
	if o < 0 {
		return s.Items[i].NoneCost
	}
	return s.Items[i].Options[o].Cost
}

// pricedCost is the cost with the price of what the option takes.
func (s *search) pricedCost(i, o int) float64 {
	if o < 0 {
		return s.Items[i].NoneCost
	}
	x := &s.Items[i].Options[o]
	return x.Cost + s.prices[x.Resource]*float64(x.Amount)
}

// choose changes what an item has.
func (s *search) choose(i, o int) {
	s.add(i, s.chosen[i], 1)
	s.add(i, o, -1)
	s.chosen[i] = o
}

// add gives back what an option takes, or takes it.
func (s *search) add(i, o, sign int) {
	if o >= 0 {
		x := &s.Items[i].Options[o]
		s.left[x.Resource] += sign * x.Amount
	}
}

// fits reports whether an item may have the option in place of the one it has.
func (s *search) fits(i, o int) bool {
	if o < 0 {
		return true
	}
	x := &s.Items[i].Options[o]
	room := s.left[x.Resource]
	if was := s.chosen[i]; was >= 0 && s.Items[i].Options[was].Resource == x.Resource {
		room += s.Items[i].Options[was].Amount
	}
	return x.Amount <= room
}

func (s *search) totalCost() float64 {
	sum := 0.0
	for i, o := range s.chosen {
		sum += s.cost(i, o)
	}
	return sum
}

// solution says what was found in the costs of the problem itself.
func (s *search) solution(p Problem) Solution {
	all := s.hair * float64(len(s.Items))
	s.Problem = p
	cost := s.totalCost()
	bound := min(s.bound-all, cost)
	return Solution{s.chosen, cost, bound, s.covered || cost-bound <= 2*all}
}
