package carbyne

import (
	"cmp"
	"slices"

	"fairbridge/policy/engine"
)

// workflow is what a workflow has left to do.
type workflow struct {
	jobIndexes      []int // as places in Entries
	tasks           []task
	jobOfTask       []int // by task: its job
	poolName        string
	fairGPUs        float64 // GPUs it is entitled to now
	gpuSecondsLeft  float64 // GPU-seconds left
	hasKnownLengths bool    // how long all its tasks run
	fairEndSeconds  float64 // seconds until its fair share would have ended it
}

// maxTasksPerArray bounds the tasks of one array record that are looked at.
const maxTasksPerArray = 1024

// addJob counts a job, which is at place i in Entries.
func (f *workflow) addJob(e *engine.Entry, i int) {
	left, ok := remainingSeconds(e)
	f.hasKnownLengths = ok && (f.hasKnownLengths || len(f.jobIndexes) == 0)
	if len(f.jobIndexes) == 0 {
		f.poolName = e.Partition + "/" + e.Ask.GPUs.Type
	}
	f.jobIndexes = append(f.jobIndexes, i)
	f.fairGPUs += e.DueGPUs
	f.gpuSecondsLeft += left * float64(e.DeviceCount()*e.TaskCount())
	for range min(e.TaskCount(), maxTasksPerArray) {
		f.tasks, f.jobOfTask = append(f.tasks, task{seconds: left, machineCount: e.DeviceCount()}), append(f.jobOfTask, i)
	}
}

// setFairEnds says when fair sharing would end each workflow, if no other
// comes: each goes on at the share that is due now, and what those that end leave
// goes to the others that use the same GPUs, by share. No workflow ends
// before its longest chain.
func setFairEnds(workflows []workflow) {
	var order []int
	total := map[string]float64{} // due, by pool
	for w := range workflows {
		if f := &workflows[w]; len(f.jobIndexes) > 0 {
			f.fairGPUs = max(f.fairGPUs, 1e-3)
			total[f.poolName] += f.fairGPUs
			order = append(order, w)
		}
	}
	slices.SortFunc(order, func(a, b int) int {
		x, y := &workflows[a], &workflows[b]
		return cmp.Or(cmp.Compare(x.poolName, y.poolName), cmp.Compare(x.gpuSecondsLeft/x.fairGPUs, y.gpuSecondsLeft/y.fairGPUs), cmp.Compare(a, b))
	})
	pool, at, reached, rest := "", 0.0, 0.0, 0.0
	for k, w := range order {
		f := &workflows[w]
		if k == 0 || f.poolName != pool {
			pool, at, reached, rest = f.poolName, 0, 0, total[f.poolName]
		}
		at += (f.gpuSecondsLeft/f.fairGPUs - reached) * rest / total[pool]
		reached = f.gpuSecondsLeft / f.fairGPUs
		rest -= f.fairGPUs
		longest := 0.0
		for _, p := range f.tasks {
			longest = max(longest, p.seconds)
		}
		f.fairEndSeconds = max(at, longest, 1)
	}
}

// remainingSeconds returns the seconds the job runs from now on what it asks or
// holds: as it reports, else as estimated with one standard error.
func remainingSeconds(e *engine.Entry) (seconds float64, ok bool) {
	if t := e.Training; t != nil && len(t.Rates) > 0 {
		typ := e.Ask.GPUs.Type
		if len(e.On) > 0 {
			typ = e.On.FirstType()
		}
		rate, known := t.Rate(typ)
		if !known {
			rate = t.Rates[0].StepsPerSecond
		}
		if rate > 0 {
			return max(t.Steps-t.StepsDone, 0) / rate, true
		}
	}
	if e.Estimate().TimeLeft > 0 {
		return (e.Estimate().TimeLeft + e.Estimate().TimeLeftSigma).Seconds(), true
	}
	return 0, false
}
