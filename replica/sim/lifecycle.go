package sim

import (
	"slices"
	"time"

	"fairbridge/replica/sim/inventory"
)

// lifecycle is the life of jobs: they start, stop, complete, are queued again and
// forgotten.
type lifecycle struct {
	*daemon
	jobs       *jobTable
	priorities *priorities
	accounting *accounting
}

// scheduleUnlessChanged lets do happen unless the job has started or stopped before.
func (r *lifecycle) scheduleUnlessChanged(j *job, d time.Duration, do func()) {
	turn := j.generation
	r.ScheduleAfter(d, func() {
		if j.generation == turn {
			do()
		}
	})
}

// startRun gives a job its slots. Of an unsplit array a task is split off first;
// the record that runs is returned.
func (r *lifecycle) startRun(j *job, p *inventory.Partition, slots inventory.Slots, by string) *job {
	if j.isUnsplit() {
		j = r.splitTask(j, j.pendingTasks[0])
	}
	slots.Allocate()
	j.slots, j.partition, j.state, j.reason = slots, p, stateRunning, "None"
	j.startTime, j.exactStart, j.endTime = r.nowTruncated(), r.Now(), time.Time{}
	j.expectation = expectation{}
	j.hasRun, j.isBackfilled = true, by == backfillPass
	r.accounting.startedCount++
	r.scheduleRunEnd(j)
	r.logf("start %d by %s on %v", j.id, by, j.hostNames())
	r.noteChange()
	return j
}

// scheduleRunEnd plans the end of a running job afresh.
func (r *lifecycle) scheduleRunEnd(j *job) {
	j.generation++
	typ, n := j.slots.BusyGPUs()
	length, state := j.program.RunTime(typ, n, len(j.slots), j.spec.TimeLimit)
	r.scheduleUnlessChanged(j, j.exactStart.Add(length).Sub(r.Now()), func() { r.stopRun(j, state, false) })
}

// splitTask takes one task out of the pending record of an array and gives it a
// record of its own, which inherits everything. The last task keeps the
// record, whose id is that of the array.
func (r *lifecycle) splitTask(j *job, task int64) *job {
	if len(j.pendingTasks) == 1 {
		j.taskID, j.pendingTasks = task, nil
		j.program.WorkTime = j.spec.taskWorkTime(task)
		return j
	}
	t := *j
	t.program.WorkTime = j.spec.taskWorkTime(task)
	t.id, t.sluid = r.jobs.newJobID(), r.jobs.newSLUID()
	t.taskID, t.pendingTasks, t.slots = task, nil, nil
	j.pendingTasks = slices.DeleteFunc(slices.Clone(j.pendingTasks), func(x int64) bool { return x == task })
	j.program.WorkTime = j.spec.taskWorkTime(j.pendingTasks[0]) // of the next task
	r.jobs.add(&t)
	r.scheduleDeadline(&t)
	r.logf("split %d_%d as %d", j.arrayID, task, t.id)
	return &t
}

// stopRun ends the current run: the job completes, then frees what it has, and is
// queued again or gone.
func (r *lifecycle) stopRun(j *job, state string, again bool) {
	ran := r.Now().Sub(j.exactStart)
	typ, n := j.slots.BusyGPUs()
	lost := j.program.StopRun(typ, n, len(j.slots), state, ran)
	r.priorities.chargeSinceDecay(j)
	r.accounting.recordRunEnd(j, state, r.Now(), lost)
	j.generation++
	j.isCompleting, j.endState = true, state
	j.state, j.endTime, j.reason = state, r.nowTruncated(), "None"
	if again {
		j.state, j.endState = statePending, ""
	}
	r.logf("stop %d %s ran=%v", j.id, state, ran)
	r.scheduleUnlessChanged(j, r.config.EpilogTime, func() { r.finishEpilog(j) })
	r.noteChange()
}

// finishEpilog is the end of the epilog.
func (r *lifecycle) finishEpilog(j *job) {
	j.slots.Release()
	j.isCompleting = false
	r.noteChange()
	if j.endState == "" {
		j.slots = nil
		r.returnToPending(j)
	} else {
		r.accounting.completedCount++
		r.scheduleRemoval(j)
	}
	r.startMainPass()
}

// requeue queues a job again that does not wait already: at once when it has
// ended, else once its run has.
func (r *lifecycle) requeue(j *job) {
	switch {
	case j.state == stateRunning:
		r.stopRun(j, "REQUEUED", true)
	case j.isCompleting:
		j.state, j.endState = statePending, "" // finishes its epilog first
	default:
		j.generation++
		j.state, j.slots = statePending, nil
		r.jobs.openCount++
		r.returnToPending(j)
	}
}

// returnToPending queues a job once more: the same id, a new run, not before the requeue
// delay, with its age lost and its priority kept if that was direct.
func (r *lifecycle) returnToPending(j *job) {
	j.restartCount++
	j.sluid = r.jobs.newSLUID()
	j.submitTime = r.nowTruncated()
	j.beginTime = r.nowTruncated().Add(r.config.RequeueDelay + time.Second)
	j.accrueTime, j.startTime, j.endTime, j.exactStart = j.beginTime, time.Time{}, time.Time{}, time.Time{}
	j.partition = nil
	j.program.Restart()
	j.reason = "BeginTime"
	if j.isHeld() {
		j.reason = j.holdReason
	}
	r.priorities.setPriority(j)
	r.logf("requeue %d restart=%d eligible=%s", j.id, j.restartCount, j.beginTime.Format(time.RFC3339))
	r.noteChange()
}

// endPending ends a job that waits. Slurm gives it a start, that of its end, and
// leaves the reason it waited for.
func (r *lifecycle) endPending(j *job, state string) {
	j.generation++
	j.state, j.startTime, j.endTime = state, r.nowTruncated(), r.nowTruncated()
	r.logf("stop %d %s", j.id, state)
	r.scheduleRemoval(j)
	r.noteChange()
	r.queueMainPass()
}

// cancel ends a job whatever it does.
func (r *lifecycle) cancel(j *job) {
	switch {
	case j.state == stateRunning:
		r.stopRun(j, "CANCELLED", false)
	case j.isCompleting && j.endState == "":
		j.state, j.endState = "CANCELLED", "CANCELLED"
	case j.state == statePending:
		r.endPending(j, "CANCELLED")
	}
}

// scheduleRemoval removes the record of a finished job after MinJobAge.
func (r *lifecycle) scheduleRemoval(j *job) {
	r.jobs.noteOutcome(j)
	r.scheduleUnlessChanged(j, r.config.MinJobAge, func() {
		r.jobs.remove(j)
		r.noteChange()
		r.logf("forget %d", j.id)
	})
}

// scheduleDeadline ends a job that is not done by its deadline.
func (r *lifecycle) scheduleDeadline(j *job) {
	if j.spec.Deadline.IsZero() {
		return
	}
	r.ScheduleAt(j.spec.Deadline, func() {
		switch {
		case r.jobs.jobsByID[j.id] != j || j.isDone() || j.isCompleting:
		case j.state == stateRunning:
			r.stopRun(j, "DEADLINE", false)
		default:
			r.endPending(j, "DEADLINE")
		}
	})
}
