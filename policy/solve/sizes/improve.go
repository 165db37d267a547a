package sizes

import "slices"

// leastGain is what a change must save, relative to the cost of what it changes.
const leastGain = 1e-9

// reaches reports whether the cost is the bound's.
func (s *state) reaches(bound float64) bool { return s.total() <= bound*(1+leastGain) }

// searchMore improves what the sizes alone led to, where the items lie now, and what comes of
// placing one item before all others, in that order, until the bound is reached or the work is
// done.
func searchMore(p *Problem, best *state, found counts) *state {
	best.improve()
	left := best.workLeft
	try := func(begin func(*state)) bool {
		s := newState(p)
		s.workLeft = left
		begin(s)
		s.improve()
		left = s.workLeft
		if s.total() < best.total()*(1-leastGain) {
			best = s
		}
		return left > 0 && !best.reaches(found.cost)
	}
	more := try((*state).placeNow)
	for i := range p.Items {
		for k := len(p.Items[i].Options) - 1; k >= 0 && more; k-- {
			more = try(func(s *state) {
				if forms := s.forms(i, p.Items[i].Options[k]); forms != nil {
					s.put(i, forms[len(forms)-1])
				}
				s.placeCounts(found.sizes)
			})
		}
	}
	return best
}

// improve sizes and places single items and pairs anew until nothing is gained or the work is
// done.
func (s *state) improve() {
	for s.workLeft > 0 {
		if s.improveSingles() {
			continue
		}
		if !s.improvePairs() {
			return
		}
	}
}

// bestPlace returns the place of the least cost for an item that lies nowhere; nil: it costs
// least there.
func (s *state) bestPlace(i int) Place {
	it := &s.problem.Items[i]
	best, least := Place(nil), it.cost(nil)
	for _, size := range it.Options {
		for _, at := range s.forms(i, size) {
			if c := it.cost(at); c < least {
				best, least = at, c
			}
		}
	}
	return best
}

func (s *state) improveSingles() (gained bool) {
	for i := range s.places {
		before := s.costs[i]
		at := s.lift(i)
		s.put(i, s.bestPlace(i))
		if s.costs[i] < before*(1-leastGain) {
			gained = true
			continue
		}
		s.lift(i)
		s.put(i, at)
	}
	return gained
}

// improvePairs looks for two items that cost less together when one is sized first.
func (s *state) improvePairs() (gained bool) {
	for i := range s.places {
		for j := range s.places {
			if s.workLeft <= 0 {
				return gained
			}
			if i != j && len(s.places[j]) > 0 && s.improvePair(i, j) {
				gained = true
			}
		}
	}
	return gained
}

// improvePair gives the first each size in turn, and the second the best then.
func (s *state) improvePair(i, j int) bool {
	before := s.costs[i] + s.costs[j]
	atI, atJ := s.lift(i), s.lift(j)
	bestI, bestJ, least := atI, atJ, before*(1-leastGain)
	try := func(at Place) {
		s.put(i, at)
		if s.costs[i] < least {
			if other := s.bestPlace(j); s.costs[i]+s.problem.Items[j].cost(other) < least {
				bestI, bestJ, least = at, other, s.costs[i]+s.problem.Items[j].cost(other)
			}
		}
		s.lift(i)
	}
	try(nil)
	for _, size := range s.problem.Items[i].Options {
		for _, at := range s.forms(i, size) {
			try(at)
		}
	}
	s.put(i, bestI)
	s.put(j, bestJ)
	return !slices.Equal(bestI, atI) || !slices.Equal(bestJ, atJ)
}
