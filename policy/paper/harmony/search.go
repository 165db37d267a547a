package harmony

import (
	"slices"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/pool"
)

// leastGain is by how much a change must raise the reward, relative to what it is.
const leastGain = 1e-9

// search places a batch of waiting jobs together, those that run where they are.
type search struct {
	*layout
	round     *engine.Round
	jobs      []*resident // of the batch, in line
	places    [][]place   // of each
	triesLeft int
	mayLeave  bool // jobs of the batch may stay without a place
	reward    float64
}

// take gives a job a place; it reports whether that is free.
func (s *search) take(x *resident, on policy.Alloc) bool {
	a := x.entry.GangAsk()
	if s.round.FreePool.Take(on, a.CPUs, a.MemMB) != nil {
		return false
	}
	s.triesLeft--
	s.reward += s.put(x, on)
	return true
}

// free takes a job's place back, if it has one.
func (s *search) free(x *resident) {
	if x.on == nil {
		return
	}
	a := x.entry.GangAsk()
	s.round.FreePool.GiveBack(x.on, a.CPUs, a.MemMB)
	s.reward -= s.drop(x)
}

// begin places all jobs anew, in line, each as choose says, and reports whether all that must have a place have one.
func (s *search) begin(choose func(x *resident, places []place) policy.Alloc) bool {
	for _, x := range s.jobs {
		s.free(x)
	}
	s.reward = 0
	for i, x := range s.jobs {
		on := choose(x, s.places[i])
		if (on == nil || !s.take(x, on)) && !s.takeAny(i) && !s.mayLeave {
			return false
		}
	}
	return true
}

// takeAny gives a job the best place that is free, be it one that was not listed.
func (s *search) takeAny(i int) bool {
	x := s.jobs[i]
	if on := s.best(i); on != nil {
		return s.take(x, on)
	}
	on, err := pool.Fit(s.round.FreePool, x.entry.Partition, x.entry.GangAsk())
	return err == nil && s.take(x, on)
}

// best returns the place at which a job adds most to the reward, be that less than it costs others; nil: none is free.
func (s *search) best(i int) policy.Alloc {
	var best policy.Alloc
	most, x := 0.0, s.jobs[i]
	for _, p := range s.places[i] {
		before := s.reward
		if !s.take(x, p.on) {
			continue
		}
		if gain := s.reward - before; best == nil || gain > most+leastGain*most {
			best, most = p.on, gain
		}
		s.free(x)
		s.reward = before
	}
	return best
}

// improve moves one job at a time, with another out of its way, and lets two change places, while the reward rises.
func (s *search) improve() {
	for improved := true; improved && s.triesLeft > 0; {
		improved = false
		for i := range s.jobs {
			for k := range s.places[i] {
				if s.triesLeft > 0 && s.tryMove(i, s.places[i][k].on) {
					improved = true
				}
			}
			for k := range i {
				if s.triesLeft > 0 && s.trySwap(i, k) {
					improved = true
				}
			}
		}
	}
}

// trySwap lets two jobs of one size change places if that raises the reward.
func (s *search) trySwap(i, k int) bool {
	x, y := s.jobs[i], s.jobs[k]
	if x.on == nil || y.on == nil || x.on.Count() != y.on.Count() || x.on.Equal(y.on) || !s.mayHave(x, y.on) || !s.mayHave(y, x.on) {
		return false
	}
	was, before := s.placement(), s.reward
	s.free(x)
	s.free(y)
	if !s.take(x, was[k]) || !s.take(y, was[i]) || !s.isBetter(before) {
		s.restore(was, before)
		return false
	}
	return true
}

// mayHave reports whether a job may be on devices at all.
func (s *search) mayHave(x *resident, on policy.Alloc) bool {
	return pool.AllowsAlloc(s.round.FreePool, on, x.entry.Partition, x.entry.GangAsk())
}

// isBetter reports whether the reward has risen from what it was.
func (s *search) isBetter(before float64) bool {
	return s.reward > before+leastGain*max(before, 1e-12)
}

// tryMove gives a job another place if that raises the reward. Where a job of the batch is in the way, that gets the best
// place that is left.
func (s *search) tryMove(i int, on policy.Alloc) bool {
	x := s.jobs[i]
	if x.on.Equal(on) && x.on != nil {
		return false
	}
	was, before := s.placement(), s.reward
	s.free(x)
	if !s.take(x, on) && !s.takeInsteadOf(i, on) || !s.isBetter(before) {
		s.restore(was, before)
		return false
	}
	return true
}

// takeInsteadOf gives a job the place of others of the batch, which get the best that is left to them.
func (s *search) takeInsteadOf(i int, on policy.Alloc) bool {
	for k, o := range s.jobs {
		if k == i || o.on == nil || !slices.ContainsFunc(o.on, func(x policy.Slot) bool { return on.CountOn(x.Node) > 0 }) {
			continue
		}
		where := o.on
		s.free(o)
		if s.take(s.jobs[i], on) {
			return s.takeAny(k) || s.mayLeave
		}
		s.take(o, where)
	}
	return false
}

// placement is where the jobs of the batch are.
func (s *search) placement() []policy.Alloc {
	out := make([]policy.Alloc, len(s.jobs))
	for i, x := range s.jobs {
		out[i] = x.on
	}
	return out
}

// restore puts the jobs back where they were, at a reward that is known.
func (s *search) restore(where []policy.Alloc, reward float64) {
	for i, x := range s.jobs {
		if !(x.on.Equal(where[i]) && len(x.on) == len(where[i])) {
			s.free(x)
		}
	}
	for i, x := range s.jobs {
		if x.on == nil && where[i] != nil {
			s.take(x, where[i])
		}
	}
	s.reward = reward
}
