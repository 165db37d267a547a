package harmony

import "fairbridge/policy"

// canTryAll reports whether there are no more ways to place the batch than the search may try.
func (s *search) canTryAll() bool {
	ways := 1
	for _, places := range s.places {
		if ways *= len(places) + 1; ways > s.triesLeft {
			return false
		}
	}
	return true
}

// tryAll finds the best of all ways to give the jobs places of their lists. It reports whether there is one in which all
// that must have a place have one.
func (s *search) tryAll() (best []policy.Alloc, reward float64) {
	for _, x := range s.jobs {
		s.free(x)
	}
	s.reward = 0
	most := -1 // jobs with a place: where all must have one, more of them come before a larger reward
	var visit func(i, placed int)
	visit = func(i, placed int) {
		if i == len(s.jobs) {
			if most < 0 || !s.mayLeave && placed > most || (s.mayLeave || placed == most) && s.reward > reward*(1+leastGain) {
				best, reward, most = s.placement(), s.reward, placed
			}
			return
		}
		found := false
		for _, p := range s.places[i] {
			before := s.reward
			if s.take(s.jobs[i], p.on) {
				found = true
				visit(i+1, placed+1)
				s.free(s.jobs[i])
				s.reward = before
			}
		}
		if !found || s.mayLeave {
			visit(i+1, placed)
		}
	}
	visit(0, 0)
	if most < len(s.jobs) && !s.mayLeave {
		return nil, 0
	}
	return best, reward
}
