package elasticflow

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"fairbridge/policy"
)

// commitments are the plans of jobs that were admitted, by job id, as of a time.
type commitments struct {
	At   time.Time    `json:"at,omitzero"`
	Jobs []commitment `json:"jobs,omitempty"`
}

// commitment is the plan of one job: devices until seconds from commitments.At.
type commitment struct {
	Job   policy.JobID `json:"job"`
	Until []float64    `json:"until"`
	GPUs  []int        `json:"gpus"`
}

func (c commitments) validate() error {
	for i, j := range c.Jobs {
		if len(j.Until) != len(j.GPUs) || i > 0 && c.Jobs[i-1].Job >= j.Job {
			return errors.New("the plans are garbled")
		}
	}
	return nil
}

// find returns the plan of a job, or nil.
func (c *commitments) find(id policy.JobID) *commitment {
	i, found := slices.BinarySearchFunc(c.Jobs, id, func(c commitment, id policy.JobID) int { return cmp.Compare(c.Job, id) })
	if !found {
		return nil
	}
	return &c.Jobs[i]
}

// stepsAt returns the rest of the plan so many seconds later.
func (c *commitment) stepsAt(later float64) []step {
	var steps []step
	for i, until := range c.Until {
		if until > later {
			steps = append(steps, step{until - later, c.GPUs[i]})
		}
	}
	return steps
}

// newCommitments writes down the plans of those admitted; jobs is in order of their ids.
func newCommitments(now time.Time, jobs []demand, plans map[*demand][]step) commitments {
	c := commitments{At: now}
	for i := range jobs {
		steps, admitted := plans[&jobs[i]]
		if !admitted {
			continue
		}
		one := commitment{Job: jobs[i].entry.ID, Until: make([]float64, len(steps)), GPUs: make([]int, len(steps))}
		for k, s := range steps {
			one.Until[k], one.GPUs[k] = s.until, s.gpus
		}
		c.Jobs = append(c.Jobs, one)
	}
	return c
}
