package answers

import (
	"slices"
	"strconv"
	"strings"

	"fairbridge/api"
	"fairbridge/bridge/slurm"
)

// maxAddresses is how many jobs one query may name: looking one up may take a query of its own.
const maxAddresses = 200

// checkAddressCount bounds how many jobs a query names.
func checkAddressCount(addresses []string) error {
	if len(addresses) > maxAddresses {
		return badRequest("job: %d are named, and at most %d can be asked for at once", len(addresses), maxAddresses)
	}
	return nil
}

// jobSet is the jobs that a query names, read once: each row of the queue is looked up in it.
type jobSet struct {
	texts map[string]bool  // as they are named: jobs, arrays, tasks
	tasks map[string][]int // by array, of which waiting tasks may stand in one row
}

func newJobSet(addresses []string) jobSet {
	s := jobSet{setOf(addresses), map[string][]int{}}
	for _, a := range addresses {
		array, text, isTask := strings.Cut(a, "_")
		if task, err := strconv.Atoi(text); isTask && err == nil {
			s.tasks[array] = append(s.tasks[array], task)
		}
	}
	return s
}

// has reports whether one of the jobs is that of a row: itself, its array, or waiting tasks that it stands for.
func (s *jobSet) has(r *api.QueueJob) bool {
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
