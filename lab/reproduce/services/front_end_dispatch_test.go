package services

import ()

// request is one that came to a front-end.
type request struct{ came, takes float64 }

// playStep lets the requests of a step come, at random within it.
func (s *frontEndRun) playStep(now float64, count int) {
	s.Requests[int(now/60)] += count
	for _, at := range DrawArrivals(s.Rand, count) {
		came := now + at*StepSeconds
		s.retryUntil(came)
		f := &s.frontEnds[s.IntN(len(s.frontEnds))]
		f.counts[len(f.counts)-1]++
		r := request{came, s.DrawServiceSeconds(s.Rand)}
		if len(f.line) > 0 {
			f.line = append(f.line, r)
			continue
		}
		if ended, ok := s.try(f, r, came); !ok {
			f.line, f.retryAt = append(f.line, r), ended+s.RetrySeconds
		}
	}
	s.retryUntil(now + StepSeconds)
}

// retryUntil lets the front-ends in which requests wait try again until a time.
func (s *frontEndRun) retryUntil(end float64) {
	for {
		var next *frontEnd
		for i := range s.frontEnds {
			if f := &s.frontEnds[i]; len(f.line) > 0 && f.retryAt < end && (next == nil || f.retryAt < next.retryAt) {
				next = f
			}
		}
		if next == nil {
			return
		}
		ended, ok := s.try(next, next.line[0], next.retryAt)
		if ok {
			next.line = next.line[1:]
			continue
		}
		next.retryAt = ended + s.RetrySeconds
	}
}

// try gives a request to back-ends at random, of those that its front-end uses and that are ready, until one is free. It returns
// when that was, and whether one was.
func (s *frontEndRun) try(f *frontEnd, r request, at float64) (float64, bool) {
	for k := range s.drawOrder(f.uses) {
		b := &s.backEnds[k]
		if !b.isCalled || b.readyAt > at {
			continue
		}
		s.Attempts++
		if b.busyUntil > at {
			at += s.AttemptSeconds
			continue
		}
		b.busyUntil = at + r.takes
		b.lastUse = b.busyUntil
		if b.busyUntil-r.came > s.WithinSeconds {
			s.Late[int(r.came/60)]++
		}
		return at, true
	}
	return at, false
}

// drawOrder yields the numbers below n at random, each once: from a random one on by a random stride that has no divisor in
// common with n.
func (s *frontEndRun) drawOrder(n int) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		if n < 1 {
			return
		}
		k, stride := s.IntN(n), 1+s.IntN(n)
		for hasCommonDivisor(n, stride) {
			stride = 1 + s.IntN(n)
		}
		for range n {
			if !yield(k) {
				return
			}
			k = (k + stride) % n
		}
	}
}

func hasCommonDivisor(a, b int) bool {
	for b > 0 {
		a, b = b, a%b
	}
	return a > 1
}
