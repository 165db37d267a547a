package answers

import (
	"slices"
	"strconv"
	"strings"

	"fairbridge/api"
	"fairbridge/bridge/slurm"
)

// jobSet is the jobs that a query names, read once: each row of the queue is looked up in it.
type jobSet struct {
	texts map[string]bool  // as they are named: jobs, arrays, tasks
	tasks map[string][]int // by array, of which waiting tasks may stand in one row
}

// New reads the addresses of jobs, arrays and tasks.
func newJobSet(addresses []string) jobSet {
	s := jobSet{map[string]bool{}, map[string][]int{}}
	for _, a := range addresses {
		s.texts[a] = true
		array, text, isTask := strings.Cut(a, "_")
		if task, err := strconv.Atoi(text); isTask && err == nil {
			s.tasks[array] = append(s.tasks[array], task)
		}
	}
	return s
}

// Has reports whether one of the jobs is that of a row: itself, its array, or waiting tasks that it stands for.
func (s *jobSet) Has(r *api.QueueJob) bool {
	if s.texts[r.Address] || s.texts[strconv.FormatInt(int64(r.JobID), 10)] {
		return true
	}
	array, tasks, isTask := strings.Cut(r.Address, "_")
	if !isTask || s.texts[array] {
		return isTask
	}
	list, isUnsplit := strings.CutPrefix(tasks, "[")
	if !isUnsplit || len(s.tasks[array]) == 0 {
		return false
	}
	return slices.ContainsFunc(s.tasks[array], slurm.ReadArrayTasks(strings.TrimSuffix(list, "]")).HasTask)
}
