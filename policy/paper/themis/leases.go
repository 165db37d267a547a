package themis

import (
	"fmt"
	"slices"
	"time"

	"fairbridge/policy"
)

// leases remembers, per job, until when it holds its GPUs and how many jobs
// there were during its life. It is kept in Plan.Memo, as lists in order of job.
type leases struct {
	At                time.Time      `json:"at"`
	Jobs              []policy.JobID `json:"jobs"`
	LeaseEnds         []time.Time    `json:"until"` // zero: it has no lease
	ContentionSeconds []float64      `json:"crowd"` // number of jobs, times seconds since it arrived
}

func recallLeases(s *policy.Snapshot) (*leases, error) {
	l, err := policy.Recall[*leases](s.Memo)
	if err != nil {
		return nil, err
	}
	if l == nil {
		return &leases{At: s.Now}, nil
	}
	if len(l.Jobs) != len(l.LeaseEnds) || len(l.Jobs) != len(l.ContentionSeconds) || !slices.IsSorted(l.Jobs) {
		return nil, fmt.Errorf("reading what was remembered: %d jobs, %d leases, %d crowds, sorted %t",
			len(l.Jobs), len(l.LeaseEnds), len(l.ContentionSeconds), slices.IsSorted(l.Jobs))
	}
	return l, nil
}

// newLeases returns what to remember: a job that runs on beyond a lease that ended, or
// starts, has a new one.
func (a *arbiter) newLeases(plan *policy.Plan) *leases {
	n := len(a.jobs)
	l := &leases{At: a.now, Jobs: make([]policy.JobID, n), LeaseEnds: make([]time.Time, n), ContentionSeconds: make([]float64, n)}
	for i := range a.jobs {
		j := &a.jobs[i]
		l.Jobs[i], l.ContentionSeconds[i] = j.ID, j.contentionSeconds
		switch plan.Decisions[i].Verb {
		case policy.Keep, policy.Start, policy.Move:
			l.LeaseEnds[i] = j.leaseEnd
			if !j.leaseEnd.After(a.now) {
				l.LeaseEnds[i] = a.now.Add(time.Duration(j.keptLeaseFraction * float64(a.Lease)))
			}
		}
	}
	return l
}

func (l *leases) memo() policy.Memo {
	if len(l.Jobs) == 0 {
		return policy.Memo{}
	}
	return policy.Remember(l)
}
