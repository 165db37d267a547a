package carbyne

import (
	"cmp"
	"slices"

	"fairbridge/policy/solve/assign"
)

// task is a part of a workflow: how long it takes and how many
// machines at once.
type task struct {
	seconds      float64
	machineCount int
}

// scheduleLongestFirst schedules tasks on like machines, the longest first, each as
// early as it can, and returns when each ends. Read backwards from the last end
// it says how late each task may start, if never more machines are used:
// last - end. Tasks wider than the machines count as if they fitted.
func scheduleLongestFirst(tasks []task, machines int) (ends []float64, last float64) {
	order, wide := make([]int, len(tasks)), 0
	for i, p := range tasks {
		order[i] = i
		wide += max(p.machineCount, 1)
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(tasks[b].seconds, tasks[a].seconds), cmp.Compare(a, b))
	})
	free := make([]float64, max(min(machines, wide), 1))
	ends = make([]float64, len(tasks))
	for _, i := range order {
		ends[i] = assign.RunOnFirstFree(free, min(max(tasks[i].machineCount, 1), len(free)), max(tasks[i].seconds, 0))
		last = max(last, ends[i])
	}
	return ends, last
}
