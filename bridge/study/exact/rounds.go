package exact

import "math"

// rounds is the clock of Gavel's and Shockwave's simulators.
type rounds struct {
	*engine
	n int // rounds so far
}

// simulate runs until all jobs are done.
func (r *rounds) simulate() error {
	for {
		r.arrive()
		if len(r.here) == 0 {
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
		case len(r.busy) > 0:
			r.turn()
		default:
			next := r.windows.back(r.now)
			if len(r.queue) > 0 {
				next = min(next, r.queue[0].Arrive)
			}
			if math.IsInf(next, 1) {
				return r.deadlock()
			}
			r.now = next
		}
	}
}

// turn is one round: all runners are settled, then the time is that of the last
// one.
func (r *rounds) turn() {
	r.contention.add(float64(len(r.here)), 1)
	start, last := r.now, r.now
	for _, j := range r.busy {
		last = max(last, r.play(j, start))
	}
	r.now = last
	r.n++
	for _, j := range r.here {
		j.ask()
	}
	r.sweep()
}

// play runs a job for a round and settles it. It returns when it stopped.
func (r *rounds) play(j *job, start float64) float64 {
	units, all := j.portion(r.Clock.Round.Seconds())
	if units <= 0 {
		if j.fails++; j.fails >= r.Clock.Fails {
			r.end(j, start)
		}
		return start
	}
	j.fails = 0
	finish := start + units/j.pace
	ran := finish - start
	if cost := r.cost(j); r.n > 0 && j.fresh && cost > 0 && ran > r.Clock.Round.Seconds()-r.Clock.Tail.Seconds() {
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
	r.credit(j, ran, finish-start)
	if j.profile != nil {
		j.profile.measure(r.n+1, r.Clock.Round.Seconds(), float64(j.batch)*j.pace)
	}
	if j.done >= j.units || j.most > 0 && j.ran > j.most {
		r.end(j, finish)
		return finish
	}
	if r.reports.adapt(j) {
		j.pace = r.speeds.pace(j, &r.cluster)
	}
	return finish
}
