package gavel

import (
	"slices"

	"fairbridge/policy"
)

// isolated remembers how long each job would have taken, on an equal part of
// the cluster of its own, for what it has done so far. Parts change with the
// number of jobs, so the time is summed up from one computation to the next.
type isolated struct {
	Jobs  []policy.JobID `json:"jobs,omitempty"`  // sorted
	Spent []float64      `json:"spent,omitempty"` // seconds
	Left  []float64      `json:"left,omitempty"`  // steps, at the last computation
	Speed []float64      `json:"speed,omitempty"` // steps per second alone, then
}

// next returns the record for the jobs of the problem, in their order.
func (a isolated) next(p *problem) isolated {
	n := len(p.jobs)
	b := isolated{make([]policy.JobID, n), make([]float64, n), make([]float64, n), make([]float64, n)}
	for i := range p.jobs {
		j := &p.jobs[i]
		b.Jobs[i], b.Left[i], b.Speed[i] = j.ID, j.stepsLeft, p.isolatedSpeed(j)
		if was, known := slices.BinarySearch(a.Jobs, j.ID); known {
			b.Spent[i] = a.Spent[was]
			if a.Speed[was] > 0 {
				b.Spent[i] += (a.Left[was] - j.stepsLeft) / a.Speed[was]
			}
		}
	}
	return b
}

// isolatedSpeed is the job's speed on an equal part of each kind.
func (p *problem) isolatedSpeed(j *job) float64 {
	speed, time := 0.0, 0.0
	for k, c := range p.capacity {
		x := c / float64(len(p.jobs)) / j.gpuCount
		time += x
		speed += x * j.ratesByKind[k]
	}
	return speed / max(time, 1)
}

// isolatedFinish is when each job would be done alone, in seconds after its
// arrival; at least one.
func (p *problem) isolatedFinish() []float64 {
	at := make([]float64, len(p.jobs))
	for i := range p.jobs {
		j := &p.jobs[i]
		at[i] = max(p.isolatedSpent[i]+j.stepsLeft/p.isolatedSpeed(j), 1)
	}
	return at
}
