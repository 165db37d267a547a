package sizes

import (
	"slices"
)

// Epsilon is added to what an item is worth, so that one of no size costs 1/Epsilon.
const Epsilon = 1e-3

// Part is what an item has of one bin.
type Part struct{ Bin, Count int }

// Place is where an item lies, sorted by bin; nil: nowhere.
type Place []Part

// Size is how large the item is there.
func (p Place) Size() int {
	n := 0
	for _, part := range p {
		n += part.Count
	}
	return n
}

// Item is one of those to be placed.
type Item struct {
	Options []int // sizes it may have besides 0, ascending
	// Worth is what it is worth when it has a size on so many bins, 0 or more.
	Worth func(size, bins int) float64
	Now   Place // where it lies now; nil: nowhere
	// Change is what it keeps of its worth, 0..1, in any other place than now.
	Change float64
	Room   []int // the most it may have of each bin; nil: all of it
	// Full, where positive, is no less than the item can be worth: it then costs what it is
	// worth less than that, and not 1/(worth + Epsilon).
	Full float64
}

// Problem is what is to be placed where.
type Problem struct {
	Room   []int // of each bin
	Spread []int // spread items that lie on each bin beside these; nil: none
	Items  []Item
}

// mostWork bounds how many bins are looked at where the sizes alone find no places. It takes about ten milliseconds.
const mostWork = 1_500_000

// Solution says where each item lies.
type Solution struct {
	Places []Place
	// Cost is the sum of 1/(worth + Epsilon), which is the least it can be for the most
	// harmonic mean; Bound is what no solution is below (nearly none, where Exact is false).
	Cost, Bound float64
	Exact       bool // the sizes were found by the exact method
}

// Solve returns places for the items. Equal problems have equal solutions.
func Solve(p *Problem) Solution {
	counts := bestCounts(p)
	best := newState(p)
	best.placeCounts(counts.sizes)
	if !best.reaches(counts.cost) {
		best = searchMore(p, best, counts)
	}
	s := best
	return Solution{Places: s.places, Cost: s.total(), Bound: counts.cost, Exact: counts.exact}
}

// cost of an item in a place.
func (it *Item) cost(at Place) float64 {
	if len(at) == 0 {
		return it.price(0)
	}
	worth := it.Worth(at.Size(), len(at))
	if !slices.Equal(at, it.Now) {
		worth *= it.Change
	}
	return it.price(worth)
}

// price is what it costs to be worth so much.
func (it *Item) price(worth float64) float64 {
	if it.Full > 0 {
		return max(it.Full-worth, 0)
	}
	return 1 / (max(worth, 0) + Epsilon)
}
