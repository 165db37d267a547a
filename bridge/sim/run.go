package sim

import (
	"slices"
	"time"
)

// start gives a job its slots. Of an unsplit array a task is split off first;
// the record that runs is returned.
func (w *World) start(j *job, p *partition, slots []slot, by string) *job {
	if j.unsplit() {
		j = w.split(j, j.tasks[0])
	}
	for i := range slots {
		slots[i].take()
	}
	j.slots, j.part, j.state, j.reason = slots, p, running, "None"
	j.start, j.began, j.end = w.sec(), w.Now(), time.Time{}
	j.expect, j.planned = time.Time{}, nil
	j.ran = true
	j.turn++
	w.started++
	turn := j.turn
	length, state := j.course()
	w.After(length, func() {
		if j.turn == turn {
			w.stop(j, state, false)
		}
	})
	w.logf("start %d by %s on %v", j.id, by, j.hosts())
	w.touch()
	return j
}

// course returns how long the run will last and how it will end.
func (j *job) course() (time.Duration, string) {
	state := "COMPLETED"
	if j.spec.Fails {
		state = "FAILED"
	}
	length := 100 * forever
	if v := j.speed(); v > 0 {
		length = min(length, j.overhead()+time.Duration(float64(j.spec.Work-j.saved)/v))
	}
	if j.spec.Limit > 0 && length > j.spec.Limit {
		return j.spec.Limit, "TIMEOUT"
	}
	return length, state
}

// overhead is the time the current run spends on restoring.
func (j *job) overhead() time.Duration {
	if j.spec.Checkpoint && j.saved > 0 {
		return j.spec.Overhead
	}
	return 0
}

// stop ends the current run: the job completes, then frees what it has, and is
// queued again or gone.
func (w *World) stop(j *job, state string, again bool) {
	ran := w.Now().Sub(j.began)
	done := max(time.Duration(float64(ran-j.overhead())*j.speed()), 0)
	lost := time.Duration(0)
	switch {
	case state == "COMPLETED":
		lost = j.overhead()
	case j.spec.Checkpoint:
		kept := done
		if j.spec.Every > 0 {
			kept = (j.saved+done)/j.spec.Every*j.spec.Every - j.saved
		}
		kept = max(min(kept, j.spec.Work-j.saved), 0)
		if done > 0 {
			lost = time.Duration(float64(done-kept) / j.speed())
		}
		lost += min(j.overhead(), ran)
		j.saved += kept
	default:
		lost = ran
	}
	w.decayTo(j)
	w.account(j, state, lost)
	j.turn++
	j.completing, j.ended = true, state
	j.state, j.end, j.reason = state, w.sec(), "None"
	if again {
		j.state, j.ended = pending, ""
	}
	w.logf("stop %d %s ran=%v", j.id, state, ran)
	turn := j.turn
	w.After(w.cfg.CompleteTime, func() {
		if j.turn == turn {
			w.complete(j)
		}
	})
	w.touch()
}

// decayTo books the usage of a run's last stretch.
func (w *World) decayTo(j *job) { w.charge(j, w.Now().Sub(w.usageAt)) }

// account writes the segment of a run that ends now.
func (w *World) account(j *job, state string, lost time.Duration) {
	typ, n := j.holds()
	w.segments = append(w.segments, Segment{
		Job: j.id, SLUID: j.sluid, Array: j.array, Task: j.task, Submit: j.submit, Restarts: j.restarts,
		Name: j.spec.Name, User: j.spec.User, Account: j.spec.Account, Start: j.began, End: w.Now(),
		Nodes: j.hosts(), GPUType: typ, GPUs: n, State: state, Lost: lost,
	})
}

// complete is the end of the epilog.
func (w *World) complete(j *job) {
	for i := range j.slots {
		j.slots[i].free()
	}
	j.completing = false
	w.touch()
	if j.ended == "" {
		j.slots = nil
		w.again(j)
	} else {
		w.completed++
		w.settle(j)
	}
	w.wake()
}

// close ends a job that waits. Slurm gives it a start, that of its end, and
// leaves the reason it waited for.
func (w *World) close(j *job, state string) {
	j.turn++
	j.state, j.start, j.end = state, w.sec(), w.sec()
	w.logf("stop %d %s", j.id, state)
	w.settle(j)
	w.touch()
	w.wake()
}

// settle keeps the record of a finished job for MinJobAge.
func (w *World) settle(j *job) {
	w.open--
	w.remember(j)
	turn := j.turn
	w.After(w.cfg.MinJobAge, func() {
		if j.turn == turn {
			w.remove(j)
			w.touch()
			w.logf("forget %d", j.id)
		}
	})
}

// hosts returns the names of the nodes it has, sorted.
func (j *job) hosts() []string {
	out := names(j.slots)
	slices.Sort(out)
	return out
}

// names returns the names of the slots' nodes.
func names(slots []slot) []string {
	out := make([]string, len(slots))
	for i, s := range slots {
		out[i] = s.n.Name
	}
	return out
}
