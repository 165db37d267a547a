package exact

import "math"

// intervals is the clock that goes from event to event.
func (e *engine) intervals() error {
	last, ask := math.Inf(-1), math.Inf(1)
	for e.done < len(e.jobs) {
		back := e.back()
		next := min(ask, e.ends(), back)
		if len(e.queue) > 0 {
			next = min(next, e.queue[0].Arrive)
		}
		if math.IsInf(next, 1) {
			return e.stuck()
		}
		if e.forward(max(next, e.now)) || e.now == back {
			ask = min(ask, max(e.now, last+e.Clock.Every.Seconds()))
		}
		if len(e.here) == 0 {
			ask = math.Inf(1) // there is nothing to decide until somebody arrives
			continue
		}
		if e.now < ask {
			continue
		}
		for _, j := range e.busy {
			e.settle(j)
		}
		if err := e.decide(); err != nil {
			return err
		}
		last, ask = e.now, math.Inf(1)
		if e.Clock.Recheck > 0 && (len(e.busy) > 0 || len(e.queue) > 0) {
			ask = e.now + e.Clock.Recheck.Seconds()
		}
	}
	return nil
}

// ends is when the next job ends.
func (e *engine) ends() float64 {
	next := math.Inf(1)
	for _, j := range e.busy {
		next = min(next, j.due)
	}
	return next
}

// forward goes to a time at or before the next end. It reports whether a job
// ended or arrived then.
func (e *engine) forward(to float64) bool {
	e.crowd.add(float64(len(e.here)), to-e.now)
	e.now = to
	for _, j := range e.busy {
		if j.due <= to {
			e.settle(j)
			j.done = j.units
			e.end(j, to)
		}
	}
	left, came := e.sweep(), e.arrive()
	if left && e.shares {
		for _, j := range e.busy {
			e.settle(j)
			e.repace(j)
		}
	}
	return left || came
}

// settle books what a running job did since it was last settled.
func (e *engine) settle(j *job) {
	held := e.now - j.since
	if held <= 0 {
		return
	}
	paid := min(held, j.owes)
	j.owes -= paid
	j.since = e.now
	j.out.Lost += paid * float64(j.on.Count())
	j.done = min(j.done+(held-paid)*j.pace, j.units)
	e.credit(j, held-paid, held)
	if j.Training == nil {
		return
	}
	if j.ask(); e.adapt(j) {
		e.setPace(j)
		e.expect(j)
	}
}

// expect notes when the job will have ended.
func (e *engine) expect(j *job) {
	j.due = e.now + j.owes + (j.units-j.done)/j.pace
}
