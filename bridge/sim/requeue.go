package sim

import (
	"strconv"
	"strings"
	"time"
)

// Requeue stops running jobs and queues them again. The address is a job id
// ("123"; that of an array means every task), a task ("123_4") or the SLUID of
// a run. With incomplete set, jobs that are not running are left alone without
// a word; without it a pending job is refused and a finished one runs again.
func (w *World) Requeue(by, address string, incomplete bool) error {
	list, err := w.find(address)
	if err != nil {
		return err
	}
	var first error
	for _, j := range list {
		err := w.audited(by, "requeue", j, Update{}, func() error { return w.requeue(by, j, incomplete) })
		if err != nil && first == nil {
			first = err
		}
	}
	return first
}

// find returns the records an address stands for.
func (w *World) find(address string) ([]*job, error) {
	var out []*job
	a, t, isTask := strings.Cut(address, "_")
	id, err := strconv.ParseInt(a, 10, 64)
	task, taskErr := strconv.ParseInt(t, 10, 64)
	for _, j := range w.order {
		switch {
		case strings.HasPrefix(address, "s"):
			if j.sluid == address {
				out = append(out, j)
			}
		case err != nil || isTask && taskErr != nil:
		case isTask && j.array == id && (j.task == task || containsTask(j.tasks, task)):
			out = append(out, j)
		case !isTask && (j.id == id || j.array == id):
			out = append(out, j)
		}
	}
	if len(out) == 0 {
		return nil, problem(NoSuchJob, "Invalid job id specified")
	}
	if !isTask && err == nil && w.jobs[id] != nil && w.jobs[id].array != id {
		return []*job{w.jobs[id]}, nil // a job that happens to share no array
	}
	return out, nil
}

func containsTask(list []int64, t int64) bool {
	for _, x := range list {
		if x == t {
			return true
		}
	}
	return false
}

func (w *World) requeue(by string, j *job, incomplete bool) error {
	switch {
	case !w.may(by, j):
		return problem(AccessDenied, "Access/permission denied")
	case j.spec.NoRequeue:
		return problem(Disabled, "Requested operation is presently disabled")
	case j.completing && j.ended == "":
		return nil // already on its way
	case j.state == running:
		w.stop(j, "REQUEUED", true)
		return nil
	case incomplete:
		return nil
	case j.state == pending:
		return problem(JobPending, "Job is pending execution")
	}
	if j.completing {
		j.state, j.ended = pending, "" // finishes its epilog first
		return nil
	}
	j.turn++
	j.state, j.slots = pending, nil
	w.open++
	w.again(j)
	return nil
}

// again queues a job once more: the same id, a new run, not before the requeue
// delay, with its age lost and its priority kept if that was direct.
func (w *World) again(j *job) {
	j.restarts++
	j.sluid = w.newRun()
	j.submit = w.sec()
	j.begin = w.sec().Add(w.cfg.RequeueDelay + time.Second)
	j.accrue, j.start, j.end, j.began = j.begin, time.Time{}, time.Time{}, time.Time{}
	j.part = nil
	if !j.spec.Checkpoint {
		j.saved = 0
	}
	j.reason = "BeginTime"
	if j.held() {
		j.reason = j.hold
	}
	w.weigh(j)
	w.logf("requeue %d restart=%d eligible=%s", j.id, j.restarts, j.begin.Format(time.RFC3339))
	w.touch()
}

// HoldRequeued holds the jobs that a requeue has just put back, as its Hold
// flag does: a hold of the user's kind. Others are left alone.
func (w *World) HoldRequeued(address string) error {
	list, err := w.find(address)
	if err != nil {
		return err
	}
	for _, j := range list {
		if j.completing && j.ended == "" {
			j.hold, j.direct = "JobHeldUser", false
			w.touch()
		}
	}
	return nil
}
