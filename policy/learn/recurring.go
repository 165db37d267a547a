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
	GPUs           int           // that it ran on
	GPUType        string        // of them
	Limit          time.Duration // it asked for; 0: none
	Ran            time.Duration // in all its runs
	End            time.Time
	StepsPerSecond float64 // that it reported; 0: it did not
}

const mostEarlierRuns = 32

// AddRun notes a run, with how fast it said it was (0: it did not). Runs are to be added in the order in which they end. It
// reports whether the run can be recognised.
func (c *Recurring) AddRun(r *Run, stepsPerSecond float64) bool {
	keys := recurrence.Keys(r.User, r.Name)
	if c.runs == nil {
		c.runs = map[recurrence.Key][]EarlierRun{}
	}
	most := c.Most
	if most == 0 {
		most = mostEarlierRuns
	}
	for _, key := range keys {
		list := append(c.runs[key], EarlierRun{r.GPUs, r.GPUType, r.Limit, r.Ran, r.End, stepsPerSecond})
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

// SpeedPoints are the speeds that earlier runs reported, by GPU type and number: of each the median. It is what a policy that chooses sizes
// may be told of a job that comes again.
func SpeedPoints(runs []EarlierRun) []policy.SpeedPoint {
	var points []policy.SpeedPoint
	for _, r := range runs {
		at := policy.SpeedPoint{Type: r.GPUType, Devices: r.GPUs}
		isThere := slices.ContainsFunc(points, func(p policy.SpeedPoint) bool { return p.Type == at.Type && p.Devices == at.Devices })
		if r.StepsPerSecond <= 0 || isThere {
			continue
		}
		var speeds []float64
		for _, o := range runs {
			if o.GPUType == r.GPUType && o.GPUs == r.GPUs && o.StepsPerSecond > 0 {
				speeds = append(speeds, o.StepsPerSecond)
			}
		}
		at.StepsPerSecond = median(speeds)
		points = append(points, at)
	}
	return points
}
