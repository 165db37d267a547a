package carbyne

import (
	"cmp"
	"slices"

	"fairbridge/policy/engine"
)

// carbyneWork is what a workflow has left to do.
type carbyneWork struct {
	jobs  []int // as places in Entries
	tasks []task
	of    []int // by task: its job
	pool  string
	due   float64 // GPUs it is entitled to now
	sum   float64 // GPU-seconds left
	known bool    // how long all its tasks run
	end   float64 // seconds until its fair share would have ended it
}

// carbyneMost bounds the tasks of one array record that are looked at.
const carbyneMost = 1024

func (f *carbyneWork) add(e *engine.Entry, i int) {
	left, ok := carbyneLeft(e)
	f.known = ok && (f.known || len(f.jobs) == 0)
	if len(f.jobs) == 0 {
		f.pool = e.Partition + "/" + e.Ask.GPUs.Type
	}
	f.jobs = append(f.jobs, i)
	f.due += e.Due
	f.sum += left * float64(e.Size()*e.Count())
	for range min(e.Count(), carbyneMost) {
		f.tasks, f.of = append(f.tasks, task{seconds: left, width: e.Size()}), append(f.of, i)
	}
}

// carbyneEnds says when fair sharing would end each workflow, if nobody else
// comes: everybody goes on at the share that is due now, and what those who end
// leave goes to the others that use the same GPUs, by share. No workflow ends
// before its longest chain.
func carbyneEnds(works []carbyneWork) {
	var order []int
	total := map[string]float64{} // due, by pool
	for w := range works {
		if f := &works[w]; len(f.jobs) > 0 {
			f.due = max(f.due, 1e-3)
			total[f.pool] += f.due
			order = append(order, w)
		}
	}
	slices.SortFunc(order, func(a, b int) int {
		x, y := &works[a], &works[b]
		return cmp.Or(cmp.Compare(x.pool, y.pool), cmp.Compare(x.sum/x.due, y.sum/y.due), cmp.Compare(a, b))
	})
	pool, at, passed, rest := "", 0.0, 0.0, 0.0
	for k, w := range order {
		f := &works[w]
		if k == 0 || f.pool != pool {
			pool, at, passed, rest = f.pool, 0, 0, total[f.pool]
		}
		at += (f.sum/f.due - passed) * rest / total[pool]
		passed = f.sum / f.due
		rest -= f.due
		longest := 0.0
		for _, p := range f.tasks {
			longest = max(longest, p.seconds)
		}
		f.end = max(at, longest, 1)
	}
}

// carbyneLeft returns the seconds the job runs from now on what it asks or
// holds: as it reports, else as estimated with one standard error.
func carbyneLeft(e *engine.Entry) (seconds float64, ok bool) {
	if t := e.Training; t != nil && len(t.Rates) > 0 {
		typ := e.Ask.GPUs.Type
		if len(e.On) > 0 {
			typ = e.On.Type()
		}
		rate, known := t.Rate(typ)
		if !known {
			rate = t.Rates[0].Steps
		}
		if rate > 0 {
			return max(t.Steps-t.Done, 0) / rate, true
		}
	}
	if e.Estimate.Left > 0 {
		return (e.Estimate.Left + e.Estimate.Sigma).Seconds(), true
	}
	return 0, false
}
