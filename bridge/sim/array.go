package sim

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// split takes one task out of the pending record of an array and gives it a
// record of its own, which inherits everything. The last task keeps the
// record, whose id is that of the array.
func (w *World) split(j *job, task int64) *job {
	if len(j.tasks) == 1 {
		j.task, j.tasks = task, nil
		return j
	}
	t := *j
	t.id, t.sluid = w.newID(), w.newRun()
	t.task, t.tasks, t.slots = task, nil, nil
	j.tasks = slices.DeleteFunc(slices.Clone(j.tasks), func(x int64) bool { return x == task })
	w.add(&t)
	w.deadline(&t)
	w.logf("split %d_%d as %d", j.array, task, t.id)
	return &t
}

// Split gives one task of a pending array a record of its own, as an update
// addressed to the task does, and returns its id.
func (w *World) Split(array, task int64) (int64, error) {
	for _, j := range w.order {
		switch {
		case j.array != array:
		case j.unsplit() && containsTask(j.tasks, task):
			return w.split(j, task).id, nil
		case !j.unsplit() && j.task == task:
			return j.id, nil
		}
	}
	return 0, problem(NoSuchJob, "Invalid job id specified")
}

// atLimit reports whether as many tasks of the array run as may at once.
func (w *World) atLimit(j *job) bool {
	if j.array == 0 || j.spec.ArrayMax == 0 {
		return false
	}
	n := 0
	for _, x := range w.order {
		if x.array == j.array && len(x.slots) > 0 && (x.state == running || x.completing) {
			n++
		}
	}
	return n >= j.spec.ArrayMax
}

// taskString prints the pending tasks as Slurm does: "0-3,5-9%2".
func (j *job) taskString() string {
	if !j.unsplit() {
		return ""
	}
	var parts []string
	for i := 0; i < len(j.tasks); {
		k := i
		for k+1 < len(j.tasks) && j.tasks[k+1] == j.tasks[k]+1 {
			k++
		}
		if k == i {
			parts = append(parts, strconv.FormatInt(j.tasks[i], 10))
		} else {
			parts = append(parts, fmt.Sprintf("%d-%d", j.tasks[i], j.tasks[k]))
		}
		i = k + 1
	}
	s := strings.Join(parts, ",")
	if j.spec.ArrayMax > 0 {
		s += "%" + strconv.Itoa(j.spec.ArrayMax)
	}
	return s
}
