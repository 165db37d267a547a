package exact

import (
	"math"
)

// intervals is the clock that goes from event to event.
type intervals struct{ *engine }

// simulate runs until all jobs are done.
func (v *intervals) simulate() error {
	last, ask := math.Inf(-1), math.Inf(1)
	for v.endedTotal < len(v.jobs) {
		back := v.windows.nextReturn(v.now)
		next := min(ask, v.nextEnd(), back)
		if len(v.queue) > 0 {
			next = min(next, v.queue[0].Arrive)
		}
		if math.IsInf(next, 1) {
			return v.deadlockError()
		}
		if v.advance(max(next, v.now)) || v.now == back {
			ask = min(ask, max(v.now, last+v.Clock.Every.Seconds()))
		}
		if len(v.present) == 0 {
			ask = math.Inf(1) // there is nothing to decide until a job arrives
			continue
		}
		if v.now < ask {
			continue
		}
		for _, j := range v.running {
			v.settle(j)
		}
		if err := v.decide(); err != nil {
			return err
		}
		last, ask = v.now, math.Inf(1)
		if v.Clock.Recheck > 0 && (len(v.running) > 0 || len(v.queue) > 0) {
			ask = v.now + v.Clock.Recheck.Seconds()
		}
	}
	return nil
}

// nextEnd is when the next job ends.
func (v *intervals) nextEnd() float64 {
	next := math.Inf(1)
	for _, j := range v.running {
		next = min(next, j.due)
	}
	return next
}

// advance goes to a time at or before the next end. It reports whether a job
// ended or arrived then.
func (v *intervals) advance(to float64) bool {
	v.contention.add(float64(len(v.present)), to-v.now)
	v.now = to
	for _, j := range v.running {
		if j.due <= to {
			v.settle(j)
			j.done = j.units
			v.endJob(j, to)
		}
	}
	left, came := v.removeEnded(), v.arrive()
	if left && v.shares {
		for _, j := range v.running {
			v.settle(j)
			v.updateSpeed(j)
		}
	}
	return left || came
}

// settle books what a running job did since it was last booked.
func (v *intervals) settle(j *job) {
	held := v.now - j.settledAt
	if held <= 0 {
		return
	}
	paid := min(held, j.restartLeft)
	j.restartLeft -= paid
	j.settledAt = v.now
	j.outcome.LostService += paid * float64(j.on.Count())
	j.done = min(j.done+(held-paid)*j.speed, j.units)
	v.addRunTime(j, held-paid, held)
	if j.Training == nil {
		return
	}
	if j.updateWantedBatch(); v.reports.changeBatch(j) {
		j.speed = v.speeds.speedOf(j, &v.cluster)
		j.updateDue(v.now)
	}
}
