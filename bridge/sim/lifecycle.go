package sim

import (
	"slices"
	"time"

	"fairbridge/bridge/sim/inventory"
)

// lifecycle is the life of jobs: they start, stop, complete, are queued again and
// forgotten.
type lifecycle struct {
	*daemon
	jobs       *jobTable
	prio       *priorities
	accounting *accounting
}

// schedule lets do happen unless the job has started or stopped before.
func (r *lifecycle) schedule(j *job, d time.Duration, do func()) {
	turn := j.generation
	r.After(d, func() {
		if j.generation == turn {
			do()
		}
	})
}

// start gives a job its slots. Of an unsplit array a task is split off first;
// the record that runs is returned.
func (r *lifecycle) start(j *job, p *inventory.Partition, slots inventory.Slots, by string) *job {
	if j.isUnsplit() {
		j = r.splitTask(j, j.tasks[0])
	}
	slots.Allocate()
	j.slots, j.partition, j.state, j.reason = slots, p, running, "None"
	j.start, j.exactStart, j.end = r.nowSeconds(), r.Now(), time.Time{}
	j.expectedStart, j.expectedSlots = time.Time{}, nil
	j.hasRun = true
	r.accounting.started++
	r.scheduleEnd(j)
	r.logf("start %d by %s on %v", j.id, by, j.hostNames())
	r.noteChange()
	return j
}

// scheduleEnd plans the end of a running job afresh.
func (r *lifecycle) scheduleEnd(j *job) {
	j.generation++
	typ, n := j.slots.GPUs()
	length, state := j.program.RunTime(typ, n, j.spec.Limit)
	r.schedule(j, j.exactStart.Add(length).Sub(r.Now()), func() { r.stop(j, state, false) })
}

// splitTask takes one task out of the pending record of an array and gives it a
// record of its own, which inherits everything. The last task keeps the
// record, whose id is that of the array.
func (r *lifecycle) splitTask(j *job, task int64) *job {
	if len(j.tasks) == 1 {
		j.task, j.tasks = task, nil
		return j
	}
	t := *j
	t.id, t.sluid = r.jobs.newID(), r.jobs.newRun()
	t.task, t.tasks, t.slots = task, nil, nil
	j.tasks = slices.DeleteFunc(slices.Clone(j.tasks), func(x int64) bool { return x == task })
	r.jobs.add(&t)
	r.endAtDeadline(&t)
	r.logf("split %d_%d as %d", j.array, task, t.id)
	return &t
}

// stop ends the current run: the job completes, then frees what it has, and is
// queued again or gone.
func (r *lifecycle) stop(j *job, state string, again bool) {
	ran := r.Now().Sub(j.exactStart)
	typ, n := j.slots.GPUs()
	lost := j.program.Stop(typ, n, state, ran)
	r.prio.chargeUncharged(j)
	r.accounting.recordEnd(j, state, r.Now(), lost)
	j.generation++
	j.completing, j.endState = true, state
	j.state, j.end, j.reason = state, r.nowSeconds(), "None"
	if again {
		j.state, j.endState = pending, ""
	}
	r.logf("stop %d %s ran=%v", j.id, state, ran)
	r.schedule(j, r.cfg.CompleteTime, func() { r.complete(j) })
	r.noteChange()
}

// complete is the end of the epilog.
func (r *lifecycle) complete(j *job) {
	j.slots.Release()
	j.completing = false
	r.noteChange()
	if j.endState == "" {
		j.slots = nil
		r.queueAgain(j)
	} else {
		r.accounting.completed++
		r.keepRecord(j)
	}
	r.wake()
}

// requeue queues a job again that does not wait already: at once when it has
// ended, else once its run has.
func (r *lifecycle) requeue(j *job) {
	switch {
	case j.state == running:
		r.stop(j, "REQUEUED", true)
	case j.completing:
		j.state, j.endState = pending, "" // finishes its epilog first
	default:
		j.generation++
		j.state, j.slots = pending, nil
		r.jobs.openCount++
		r.queueAgain(j)
	}
}

// queueAgain queues a job once more: the same id, a new run, not before the requeue
// delay, with its age lost and its priority kept if that was direct.
func (r *lifecycle) queueAgain(j *job) {
	j.restarts++
	j.sluid = r.jobs.newRun()
	j.submit = r.nowSeconds()
	j.begin = r.nowSeconds().Add(r.cfg.RequeueDelay + time.Second)
	j.accrue, j.start, j.end, j.exactStart = j.begin, time.Time{}, time.Time{}, time.Time{}
	j.partition = nil
	j.program.Restart()
	j.reason = "BeginTime"
	if j.isHeld() {
		j.reason = j.hold
	}
	r.prio.setPriority(j)
	r.logf("requeue %d restart=%d eligible=%s", j.id, j.restarts, j.begin.Format(time.RFC3339))
	r.noteChange()
}

// endWaiting ends a job that waits. Slurm gives it a start, that of its end, and
// leaves the reason it waited for.
func (r *lifecycle) endWaiting(j *job, state string) {
	j.generation++
	j.state, j.start, j.end = state, r.nowSeconds(), r.nowSeconds()
	r.logf("stop %d %s", j.id, state)
	r.keepRecord(j)
	r.noteChange()
	r.wake()
}

// cancel ends a job whatever it does.
func (r *lifecycle) cancel(j *job) {
	switch {
	case j.state == running:
		r.stop(j, "CANCELLED", false)
	case j.completing && j.endState == "":
		j.state, j.endState = "CANCELLED", "CANCELLED"
	case j.state == pending:
		r.endWaiting(j, "CANCELLED")
	}
}

// keepRecord keeps the record of a finished job for MinJobAge.
func (r *lifecycle) keepRecord(j *job) {
	r.jobs.noteEnd(j)
	r.schedule(j, r.cfg.MinJobAge, func() {
		r.jobs.remove(j)
		r.noteChange()
		r.logf("forget %d", j.id)
	})
}

// endAtDeadline ends a job that is not done by its deadline.
func (r *lifecycle) endAtDeadline(j *job) {
	if j.spec.Deadline.IsZero() {
		return
	}
	r.At(j.spec.Deadline, func() {
		switch {
		case r.jobs.byID[j.id] != j || j.isDone() || j.completing:
		case j.state == running:
			r.stop(j, "DEADLINE", false)
		default:
			r.endWaiting(j, "DEADLINE")
		}
	})
}
