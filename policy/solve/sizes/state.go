package sizes

import (
	"cmp"
	"slices"
)

// state is a solution under way.
type state struct {
	problem  *Problem
	free     []int // of each bin
	spread   []int // items on each bin that lie on others too
	places   []Place
	costs    []float64
	workLeft int
}

func newState(p *Problem) *state {
	s := &state{problem: p, free: slices.Clone(p.Room), spread: make([]int, len(p.Room)),
		places: make([]Place, len(p.Items)), costs: make([]float64, len(p.Items)), workLeft: mostWork}
	copy(s.spread, p.Spread)
	for i := range s.costs {
		s.costs[i] = p.Items[i].cost(nil)
	}
	return s
}

func (s *state) total() float64 {
	sum := 0.
	for _, c := range s.costs {
		sum += c
	}
	return sum
}

// put lays an item, which lies nowhere, on a place that is free.
func (s *state) put(i int, at Place) {
	s.move(at, 1)
	s.places[i], s.costs[i] = at, s.problem.Items[i].cost(at)
}

// lift takes an item away.
func (s *state) lift(i int) Place {
	at := s.places[i]
	s.move(at, -1)
	s.places[i], s.costs[i] = nil, s.problem.Items[i].cost(nil)
	return at
}

func (s *state) move(at Place, sign int) {
	for _, part := range at {
		s.free[part.Bin] -= sign * part.Count
		if len(at) > 1 {
			s.spread[part.Bin] += sign
		}
	}
}

// isFree reports whether an item could lie there.
func (s *state) isFree(at Place) bool {
	for _, part := range at {
		if s.free[part.Bin] < part.Count || len(at) > 1 && s.spread[part.Bin] > 0 {
			return false
		}
	}
	return true
}

// roomFor is how much of a bin an item that lies nowhere can have.
func (s *state) roomFor(i, bin int) int {
	if most := s.problem.Items[i].Room; most != nil {
		return min(s.free[bin], most[bin])
	}
	return s.free[bin]
}

// find returns a place of the size for an item that lies nowhere: where it lies now, else
// the bin with the least room that is enough, else the fewest bins; nil: there is none.
func (s *state) find(i, size int) Place {
	s.workLeft -= len(s.free)
	now := s.problem.Items[i].Now
	if now.Size() == size && s.isFree(now) {
		return now
	}
	if bin := s.tightestBin(i, size); bin >= 0 {
		return Place{{bin, size}}
	}
	return s.findSpread(i, size)
}

// forms returns the place that find does and, for an item that is spread, the one with parts
// as even as can be, which may leave more room to others.
func (s *state) forms(i, size int) []Place {
	at := s.find(i, size)
	if len(at) < 2 {
		if at == nil {
			return nil
		}
		return []Place{at}
	}
	even := s.findEven(i, size, len(at))
	if even == nil || slices.Equal(even, at) {
		return []Place{at}
	}
	return []Place{at, even}
}

// findEven returns so many bins, the tightest that are enough for even parts; nil: there are
// too few.
func (s *state) findEven(i, size, bins int) Place {
	var at Place
	for ; bins > 0; bins-- {
		part, best := (size+bins-1)/bins, -1
		for b := range s.free {
			taken := slices.ContainsFunc(at, func(p Part) bool { return p.Bin == b })
			if !taken && s.spread[b] == 0 && s.roomFor(i, b) >= part && (best < 0 || s.free[b] < s.free[best]) {
				best = b
			}
		}
		if best < 0 {
			return nil
		}
		at, size = append(at, Part{best, part}), size-part
	}
	slices.SortFunc(at, func(a, b Part) int { return cmp.Compare(a.Bin, b.Bin) })
	return at
}

// tightestBin returns the bin with the least room that is enough; -1: none.
func (s *state) tightestBin(i, size int) int {
	best := -1
	for b := range s.free {
		if s.roomFor(i, b) >= size && (best < 0 || s.free[b] < s.free[best]) {
			best = b
		}
	}
	return best
}

// spreadWork is how many times the work of looking at a bin it takes to put it in order.
const spreadWork = 8

// findSpread returns the fewest bins that bear no other spread item: the emptiest first, the
// last the tightest.
func (s *state) findSpread(i, size int) Place {
	s.workLeft -= spreadWork * len(s.free)
	var bins []int
	for b := range s.free {
		if s.roomFor(i, b) > 0 && s.spread[b] == 0 {
			bins = append(bins, b)
		}
	}
	slices.SortStableFunc(bins, func(a, b int) int { return cmp.Compare(s.roomFor(i, b), s.roomFor(i, a)) })
	var at Place
	for k, b := range bins {
		if room := s.roomFor(i, b); room < size {
			at, size = append(at, Part{b, room}), size-room
			continue
		}
		for k+1 < len(bins) && s.roomFor(i, bins[k+1]) >= size {
			k++
		}
		at = append(at, Part{bins[k], size})
		slices.SortFunc(at, func(a, b Part) int { return cmp.Compare(a.Bin, b.Bin) })
		return at
	}
	return nil
}

// placeCounts lays items at the sizes: those that stay where they are, then the largest first. What finds no
// place gets the best size it finds one for.
func (s *state) placeCounts(sizes []int) {
	var rest []int
	for i, size := range sizes {
		if len(s.places[i]) > 0 {
			continue
		}
		if now := s.problem.Items[i].Now; size > 0 && now.Size() == size && s.isFree(now) {
			s.put(i, now)
		} else if size > 0 {
			rest = append(rest, i)
		}
	}
	slices.SortStableFunc(rest, func(a, b int) int { return cmp.Compare(sizes[b], sizes[a]) })
	for _, i := range rest {
		if at := s.find(i, sizes[i]); at != nil {
			s.put(i, at)
		} else {
			s.put(i, s.bestPlace(i))
		}
	}
}

// placeNow lays the items where they lie now.
func (s *state) placeNow() {
	for i := range s.places {
		if now := s.problem.Items[i].Now; len(now) > 0 && s.isFree(now) {
			s.put(i, now)
		}
	}
}

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
