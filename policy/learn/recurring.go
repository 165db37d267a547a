package learn

import (
	"slices"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/recurrence"
)

// Recurring is what became of jobs that come again, by recurrence.Keys: of each key its last runs. The zero
// Recurring knows none.
type Recurring struct {
	Most int // runs that are kept of each key; 0: 32

	runs map[recurrence.Key][]EarlierRun
}

// EarlierRun is an earlier run of a job that came again.
type EarlierRun struct {
	GPUs  int           // that it ran on
	Limit time.Duration // it asked for; 0: none
	Ran   time.Duration // in all its runs
	End   time.Time
}

const mostEarlierRuns = 32

// AddRun notes a run. Runs are to be added in the order in which they end. It reports whether the run can be recognised.
func (c *Recurring) AddRun(r *Run) bool {
	keys := recurrence.Keys(r.User, r.Name)
	if c.runs == nil {
		c.runs = map[recurrence.Key][]EarlierRun{}
	}
	most := c.Most
	if most == 0 {
		most = mostEarlierRuns
	}
	for _, key := range keys {
		list := append(c.runs[key], EarlierRun{r.GPUs, r.Limit, r.Ran, r.End})
		c.runs[key] = slices.Clip(list[max(len(list)-most, 0):])
	}
	return len(keys) > 0
}

// EarlierRuns returns the earlier runs of the job, the oldest first: those of its very name, else of names that differ from it in
// counters; nil: none is known. They must not be changed.
func (c *Recurring) EarlierRuns(j *policy.Job) []EarlierRun {
	runs, _, _ := recurrence.Find(c.runs, j.User, j.Name)
	return runs
}
