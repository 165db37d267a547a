package sim

import (
	"slices"
	"time"

	"fairbridge/bridge/sim/inventory"
)

// runs is the life of jobs: they start, stop, complete, are queued again and
// forgotten.
type runs struct {
	*daemon
	jobs  *table
	prio  *priorities
	books *accounting
}

// later lets do happen unless the job has started or stopped before.
func (r *runs) later(j *job, d time.Duration, do func()) {
	turn := j.turn
	r.After(d, func() {
		if j.turn == turn {
			do()
		}
	})
}

// start gives a job its slots. Of an unsplit array a task is split off first;
// the record that runs is returned.
func (r *runs) start(j *job, p *inventory.Partition, slots inventory.Slots, by string) *job {
	if j.unsplit() {
		j = r.split(j, j.tasks[0])
	}
	slots.Take()
	j.slots, j.part, j.state, j.reason = slots, p, running, "None"
	j.start, j.began, j.end = r.sec(), r.Now(), time.Time{}
	j.expect, j.planned = time.Time{}, nil
	j.ran = true
	r.books.started++
	r.retime(j)
	r.logf("start %d by %s on %v", j.id, by, j.hosts())
	r.touch()
	return j
}

// retime plans the end of a running job afresh.
func (r *runs) retime(j *job) {
	j.turn++
	typ, n := j.slots.GPUs()
	length, state := j.program.Course(typ, n, j.spec.Limit)
	r.later(j, j.began.Add(length).Sub(r.Now()), func() { r.stop(j, state, false) })
}

// split takes one task out of the pending record of an array and gives it a
// record of its own, which inherits everything. The last task keeps the
// record, whose id is that of the array.
func (r *runs) split(j *job, task int64) *job {
	if len(j.tasks) == 1 {
		j.task, j.tasks = task, nil
		return j
	}
	t := *j
	t.id, t.sluid = r.jobs.newID(), r.jobs.newRun()
	t.task, t.tasks, t.slots = task, nil, nil
	j.tasks = slices.DeleteFunc(slices.Clone(j.tasks), func(x int64) bool { return x == task })
	r.jobs.add(&t)
	r.deadline(&t)
	r.logf("split %d_%d as %d", j.array, task, t.id)
	return &t
}

// stop ends the current run: the job completes, then frees what it has, and is
// queued again or gone.
func (r *runs) stop(j *job, state string, again bool) {
	ran := r.Now().Sub(j.began)
	typ, n := j.slots.GPUs()
	lost := j.program.Stop(typ, n, state, ran)
	r.prio.chargeRest(j)
	r.books.ended(j, state, r.Now(), lost)
	j.turn++
	j.completing, j.ended = true, state
	j.state, j.end, j.reason = state, r.sec(), "None"
	if again {
		j.state, j.ended = pending, ""
	}
	r.logf("stop %d %s ran=%v", j.id, state, ran)
	r.later(j, r.cfg.CompleteTime, func() { r.complete(j) })
	r.touch()
}

// complete is the end of the epilog.
func (r *runs) complete(j *job) {
	j.slots.Free()
	j.completing = false
	r.touch()
	if j.ended == "" {
		j.slots = nil
		r.again(j)
	} else {
		r.books.completed++
		r.keepRecord(j)
	}
	r.wake()
}

// requeue queues a job again that does not wait already: at once when it has
// ended, else once its run has.
func (r *runs) requeue(j *job) {
	switch {
	case j.state == running:
		r.stop(j, "REQUEUED", true)
	case j.completing:
		j.state, j.ended = pending, "" // finishes its epilog first
	default:
		j.turn++
		j.state, j.slots = pending, nil
		r.jobs.open++
		r.again(j)
	}
}

// again queues a job once more: the same id, a new run, not before the requeue
// delay, with its age lost and its priority kept if that was direct.
func (r *runs) again(j *job) {
	j.restarts++
	j.sluid = r.jobs.newRun()
	j.submit = r.sec()
	j.begin = r.sec().Add(r.cfg.RequeueDelay + time.Second)
	j.accrue, j.start, j.end, j.began = j.begin, time.Time{}, time.Time{}, time.Time{}
	j.part = nil
	j.program.Again()
	j.reason = "BeginTime"
	if j.held() {
		j.reason = j.hold
	}
	r.prio.weigh(j)
	r.logf("requeue %d restart=%d eligible=%s", j.id, j.restarts, j.begin.Format(time.RFC3339))
	r.touch()
}

// close ends a job that waits. Slurm gives it a start, that of its end, and
// leaves the reason it waited for.
func (r *runs) close(j *job, state string) {
	j.turn++
	j.state, j.start, j.end = state, r.sec(), r.sec()
	r.logf("stop %d %s", j.id, state)
	r.keepRecord(j)
	r.touch()
	r.wake()
}

// cancel ends a job whatever it does.
func (r *runs) cancel(j *job) {
	switch {
	case j.state == running:
		r.stop(j, "CANCELLED", false)
	case j.completing && j.ended == "":
		j.state, j.ended = "CANCELLED", "CANCELLED"
	case j.state == pending:
		r.close(j, "CANCELLED")
	}
}

// keepRecord keeps the record of a finished job for MinJobAge.
func (r *runs) keepRecord(j *job) {
	r.jobs.close(j)
	r.later(j, r.cfg.MinJobAge, func() {
		r.jobs.remove(j)
		r.touch()
		r.logf("forget %d", j.id)
	})
}

// deadline ends a job that is not done by its deadline.
func (r *runs) deadline(j *job) {
	if j.spec.Deadline.IsZero() {
		return
	}
	r.At(j.spec.Deadline, func() {
		switch {
		case r.jobs.byID[j.id] != j || j.done() || j.completing:
		case j.state == running:
			r.stop(j, "DEADLINE", false)
		default:
			r.close(j, "DEADLINE")
		}
	})
}
