package choice

import (
	"math"
)

// repair changes choices until no capacity is exceeded: each time the one that costs least
// for each unit it gives back. Without the prices: what another resource has left is free.
func (s *search) repair() {
	for s.overload() > 0 {
		item, option, least := -1, -1, math.Inf(1)
		for i, was := range s.chosen {
			if was < 0 || s.left[s.Items[i].Options[was].Resource] >= 0 {
				continue
			}
			for _, o := range s.optionsAndNone(i) {
				if relief := s.relief(i, o); relief > 0 {
					if v := (s.cost(i, o) - s.cost(i, was)) / float64(relief); v < least {
						item, option, least = i, o, v
					}
				}
			}
		}
		s.choose(item, option) // giving an item none always relieves
	}
}

// overload is how many units are taken that are not there.
func (s *search) overload() int {
	n := 0
	for _, l := range s.left {
		n -= min(l, 0)
	}
	return n
}

// relief is by how much another option lowers the overload.
func (s *search) relief(i, o int) int {
	was, before := s.chosen[i], s.overload()
	s.add(i, was, 1)
	s.add(i, o, -1)
	after := s.overload()
	s.add(i, o, 1)
	s.add(i, was, -1)
	return before - after
}

// optionsAndNone are the options of an item worth looking at, and -1.
func (s *search) optionsAndNone(i int) []int {
	return append(s.kept[i][:len(s.kept[i]):len(s.kept[i])], -1)
}

// improve gives items options that lower the cost, one after another as long as there is room:
// each time the one that lowers it most for each unit it takes more.
func (s *search) improve() {
	for {
		item, option, most := -1, -1, 0.0
		for i, was := range s.chosen {
			for _, o := range s.kept[i] {
				if v := s.cost(i, was) - s.cost(i, o); v > costTolerance && s.fits(i, o) {
					if v /= float64(max(s.amount(i, o)-s.amount(i, was), 0)); v > most {
						item, option, most = i, o, v
					}
				}
			}
		}
		if item < 0 {
			return
		}
		s.choose(item, option)
	}
}

// amount is what an item's option takes of its resource.
func (s *search) amount(i, o int) int {
	if o < 0 {
		return 0
	}
	return s.Items[i].Options[o].Amount
}
