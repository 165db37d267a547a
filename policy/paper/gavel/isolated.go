package gavel

import (
	"slices"

	"fairbridge/policy"
)

// isolatedProgress remembers how long each job would have taken, on an equal part of
// the cluster of its own, for what it has done so far. Parts change with the
// number of jobs, so the time is summed up from one computation to the next.
type isolatedProgress struct {
	Jobs           []policy.JobID `json:"jobs,omitempty"`  // sorted
	SecondsSpent   []float64      `json:"spent,omitempty"` // seconds
	StepsLeft      []float64      `json:"left,omitempty"`  // steps, at the last computation
	StepsPerSecond []float64      `json:"speed,omitempty"` // steps per second alone, then
}

// update returns the record for the jobs of the problem, in their order.
func (a isolatedProgress) update(p *problem) isolatedProgress {
	n := len(p.jobs)
	b := isolatedProgress{make([]policy.JobID, n), make([]float64, n), make([]float64, n), make([]float64, n)}
	for i := range p.jobs {
		j := &p.jobs[i]
		b.Jobs[i], b.StepsLeft[i], b.StepsPerSecond[i] = j.ID, j.stepsLeft, p.isolatedSpeed(j)
		if was, known := slices.BinarySearch(a.Jobs, j.ID); known {
			b.SecondsSpent[i] = a.SecondsSpent[was]
			if a.StepsPerSecond[was] > 0 {
				b.SecondsSpent[i] += (a.StepsLeft[was] - j.stepsLeft) / a.StepsPerSecond[was]
			}
		}
	}
	return b
}

// isolatedSpeed is the job's speed on an equal part of each kind.
func (p *problem) isolatedSpeed(j *job) float64 {
	speed, time := 0.0, 0.0
	for k, c := range p.gpusByKind {
		x := c / float64(len(p.jobs)) / j.gpuCount
		time += x
		speed += x * j.ratesByKind[k]
	}
	return speed / max(time, 1)
}

// isolatedFinishSeconds is when each job would be done alone, in seconds after its
// arrival; at least one.
func (p *problem) isolatedFinishSeconds() []float64 {
	at := make([]float64, len(p.jobs))
	for i := range p.jobs {
		j := &p.jobs[i]
		at[i] = max(p.isolatedSeconds[i]+j.stepsLeft/p.isolatedSpeed(j), 1)
	}
	return at
}
