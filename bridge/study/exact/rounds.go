package exact

import (
	"math"
)

// rounds is the clock of Gavel's and Shockwave's simulators.
type rounds struct {
	*engine
	count int // rounds so far
}

// simulate runs until all jobs are done.
func (r *rounds) simulate() error {
	for {
		r.arrive()
		if len(r.present) == 0 {
			if len(r.queue) == 0 {
				return nil
			}
			r.now = r.queue[0].Arrive
			continue
		}
		if err := r.decide(); err != nil {
			return err
		}
		switch {
		case len(r.running) > 0:
			r.runRound()
		default:
			next := r.windows.nextReturn(r.now)
			if len(r.queue) > 0 {
				next = min(next, r.queue[0].Arrive)
			}
			if math.IsInf(next, 1) {
				return r.deadlockError()
			}
			r.now = next
		}
	}
}

// runRound is one round: all runners are settled, then the time is that of the last
// one.
func (r *rounds) runRound() {
	r.contention.add(float64(len(r.present)), 1)
	start, last := r.now, r.now
	for _, j := range r.running {
		last = max(last, r.runJob(j, start))
	}
	r.now = last
	r.count++
	for _, j := range r.present {
		j.updateWantedBatch()
	}
	r.removeEnded()
}

// runJob runs a job for a round and settles it. It returns when it stopped.
func (r *rounds) runJob(j *job, start float64) float64 {
	units, all := j.workWithin(r.Clock.Round.Seconds())
	if units <= 0 {
		if j.idleRounds++; j.idleRounds >= r.Clock.Fails {
			r.endJob(j, start)
		}
		return start
	}
	j.idleRounds = 0
	finish := start + units/j.speed
	ran := finish - start
	if cost := r.startCost(j); r.count > 0 && j.justStarted && cost > 0 && ran > r.Clock.Round.Seconds()-r.Clock.Tail.Seconds() {
		kept := ran - cost
		units, ran, all = units*(kept/ran), kept, false
		if j.Training != nil {
			units = math.Trunc(units)
		}
		j.outcome.LostService += cost * float64(j.GPUs)
	}
	j.done += units
	if all {
		j.done = j.units
	}
	r.addRunTime(j, ran, finish-start)
	if j.profile != nil {
		j.profile.measure(r.count+1, r.Clock.Round.Seconds(), float64(j.batch)*j.speed)
	}
	if j.done >= j.units || j.maxRunTime > 0 && j.ran > j.maxRunTime {
		r.endJob(j, finish)
		return finish
	}
	if r.reports.changeBatch(j) {
		j.speed = r.speeds.speedOf(j, &r.cluster)
	}
	return finish
}
