package exact

import (
	"math"
)

// intervals is the clock that goes from event to event.
type intervals struct{ *engine }

// simulate runs until all jobs are done.
func (v *intervals) simulate() error {
	last, ask := math.Inf(-1), math.Inf(1)
	for v.done < len(v.jobs) {
		back := v.windows.back(v.now)
		next := min(ask, v.ends(), back)
		if len(v.queue) > 0 {
			next = min(next, v.queue[0].Arrive)
		}
		if math.IsInf(next, 1) {
			return v.deadlock()
		}
		if v.forward(max(next, v.now)) || v.now == back {
			ask = min(ask, max(v.now, last+v.Clock.Every.Seconds()))
		}
		if len(v.here) == 0 {
			ask = math.Inf(1) // there is nothing to decide until a job arrives
			continue
		}
		if v.now < ask {
			continue
		}
		for _, j := range v.busy {
			v.book(j)
		}
		if err := v.decide(); err != nil {
			return err
		}
		last, ask = v.now, math.Inf(1)
		if v.Clock.Recheck > 0 && (len(v.busy) > 0 || len(v.queue) > 0) {
			ask = v.now + v.Clock.Recheck.Seconds()
		}
	}
	return nil
}

// ends is when the next job ends.
func (v *intervals) ends() float64 {
	next := math.Inf(1)
	for _, j := range v.busy {
		next = min(next, j.due)
	}
	return next
}

// forward goes to a time at or before the next end. It reports whether a job
// ended or arrived then.
func (v *intervals) forward(to float64) bool {
	v.contention.add(float64(len(v.here)), to-v.now)
	v.now = to
	for _, j := range v.busy {
		if j.due <= to {
			v.book(j)
			j.done = j.units
			v.end(j, to)
		}
	}
	left, came := v.sweep(), v.arrive()
	if left && v.shares {
		for _, j := range v.busy {
			v.book(j)
			v.repace(j)
		}
	}
	return left || came
}

// book books what a running job did since it was last booked.
func (v *intervals) book(j *job) {
	held := v.now - j.since
	if held <= 0 {
		return
	}
	paid := min(held, j.owes)
	j.owes -= paid
	j.since = v.now
	j.out.Lost += paid * float64(j.on.Count())
	j.done = min(j.done+(held-paid)*j.pace, j.units)
	v.credit(j, held-paid, held)
	if j.Training == nil {
		return
	}
	if j.ask(); v.reports.adapt(j) {
		j.pace = v.speeds.pace(j, &v.cluster)
		j.expect(v.now)
	}
}
