package exact

import "math"

// rounds is the clock of Gavel's and Shockwave's simulators.
func (e *engine) rounds() error {
	for {
		e.arrive()
		if len(e.here) == 0 {
			if len(e.queue) == 0 {
				return nil
			}
			e.now = e.queue[0].Arrive
			continue
		}
		if err := e.decide(); err != nil {
			return err
		}
		switch {
		case len(e.busy) > 0:
			e.turn()
		default:
			next := e.back()
			if len(e.queue) > 0 {
				next = min(next, e.queue[0].Arrive)
			}
			if math.IsInf(next, 1) {
				return e.stuck()
			}
			e.now = next
		}
	}
}

// turn is one round: all runners are settled, then the time is that of the last
// one.
func (e *engine) turn() {
	e.crowd.add(float64(len(e.here)), 1)
	start, last := e.now, e.now
	for _, j := range e.busy {
		last = max(last, e.play(j, start))
	}
	e.now = last
	e.round++
	for _, j := range e.here {
		j.ask()
	}
	e.sweep()
}

// play runs a job for a round and settles it. It returns when it stopped.
func (e *engine) play(j *job, start float64) float64 {
	units, all := j.portion(e.Clock.Round.Seconds())
	if units <= 0 {
		if j.fails++; j.fails >= e.Clock.Fails {
			e.end(j, start)
		}
		return start
	}
	j.fails = 0
	finish := start + units/j.pace
	ran := finish - start
	if cost := e.cost(j); e.round > 0 && j.fresh && cost > 0 && ran > e.Clock.Round.Seconds()-e.Clock.Tail.Seconds() {
		kept := ran - cost
		units, ran, all = units*(kept/ran), kept, false
		if j.Training != nil {
			units = math.Trunc(units)
		}
		j.out.Lost += cost * float64(j.GPUs)
	}
	j.done += units
	if all {
		j.done = j.units
	}
	e.credit(j, ran, finish-start)
	if j.profile != nil {
		j.profile.measure(e.round+1, e.Clock.Round.Seconds(), float64(j.batch)*j.pace)
	}
	if j.done >= j.units || j.most > 0 && j.ran > j.most {
		e.end(j, finish)
		return finish
	}
	if e.adapt(j) {
		e.setPace(j)
	}
	return finish
}

// portion returns what the job can do in so many seconds, in whole steps if it
// trains, and whether that is all it has left.
func (j *job) portion(seconds float64) (units float64, all bool) {
	left, most := j.units-j.done, j.pace*seconds
	if j.Training != nil {
		most = math.Trunc(most)
	}
	return min(most, left), left <= most
}
