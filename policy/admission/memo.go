package admission

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"fairbridge/policy"
	"fairbridge/policy/solve/leases"
)

// Promises are the plans of jobs that were promised their deadlines, by job id, as a policy remembers them.
type Promises struct {
	Lease  int64     `json:"lease,omitempty"`  // number of the lease they were made in, since 1970
	Length float64   `json:"length,omitempty"` // of a lease, in seconds
	Jobs   []Promise `json:"jobs,omitempty"`
}

// Promise is the plan of one job: devices in leases, counted from that it was made in.
type Promise struct {
	Job     policy.JobID `json:"job"`
	Devices int          `json:"gpus"`
	From    []int        `json:"from,omitempty"` // first leases of its stretches, ascending
	To      []int        `json:"to,omitempty"`   // those after their last ones
}

// recallPromises returns the promises that a policy remembers; none: it has made none. An error says why they cannot be used.
func recallPromises(s *policy.Snapshot) (Promises, error) {
	before, err := policy.Recall[Promises](s.Memo)
	if err == nil {
		err = before.Validate()
	}
	if err != nil {
		return Promises{}, fmt.Errorf("reading what was remembered: %w", err)
	}
	return before, nil
}

// Validate says what is wrong with promises that were read back.
func (a Promises) Validate() error {
	for i, j := range a.Jobs {
		if len(j.From) != len(j.To) || j.Devices <= 0 || i > 0 && a.Jobs[i-1].Job >= j.Job {
			return errors.New("the plans are garbled")
		}
		for k := range j.From {
			if j.To[k] <= j.From[k] || k > 0 && j.From[k] < j.To[k-1] {
				return errors.New("a plan is garbled")
			}
		}
	}
	return nil
}

// find returns the plan of a job, or nil.
func (a *Promises) find(id policy.JobID) *Promise {
	i, found := slices.BinarySearchFunc(a.Jobs, id, func(c Promise, id policy.JobID) int { return cmp.Compare(c.Job, id) })
	if !found {
		return nil
	}
	return &a.Jobs[i]
}

// spansAt returns the rest of the plan so many leases later.
func (c *Promise) spansAt(later int64) []leases.Span {
	var spans []leases.Span
	for i := range c.From {
		s := leases.Span{From: int(max(int64(c.From[i])-later, 0)), To: int(max(int64(c.To[i])-later, 0))}
		if s.To > s.From {
			spans = append(spans, s)
		}
	}
	return spans
}

// withFixed is the plan of a job with the leases it keeps its devices for anyway.
func (p *Planner) withFixed(j *Job) []leases.Span {
	n := p.fixedLeases(j.Entry)
	switch {
	case n == 0:
		return j.Spans
	case len(j.Spans) > 0 && j.Spans[0].From <= n:
		return append([]leases.Span{{From: 0, To: j.Spans[0].To}}, j.Spans[1:]...)
	}
	return append([]leases.Span{{From: 0, To: n}}, j.Spans...)
}

// Promises returns what is to be remembered.
func (p *Planner) Promises() Promises {
	all := Promises{Lease: p.number, Length: p.Lease.Seconds()}
	for _, j := range p.Promised {
		one := Promise{Job: j.ID, Devices: j.Devices}
		for _, s := range p.withFixed(j) {
			one.From, one.To = append(one.From, s.From), append(one.To, s.To)
		}
		all.Jobs = append(all.Jobs, one)
	}
	slices.SortFunc(all.Jobs, func(a, b Promise) int { return cmp.Compare(a.Job, b.Job) })
	return all
}
