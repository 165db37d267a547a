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
	At    time.Time      `json:"at"`
	Jobs  []policy.JobID `json:"jobs"`
	Until []time.Time    `json:"until"` // zero: it has no lease
	Crowd []float64      `json:"crowd"` // number of jobs, times seconds since it arrived
}

func readLeases(s *policy.Snapshot) (*leases, error) {
	l, err := policy.Recall[*leases](s.Memo)
	if err != nil {
		return nil, err
	}
	if l == nil {
		return &leases{At: s.Now}, nil
	}
	if len(l.Jobs) != len(l.Until) || len(l.Jobs) != len(l.Crowd) || !slices.IsSorted(l.Jobs) {
		return nil, fmt.Errorf("reading what was remembered: %d jobs, %d leases, %d crowds, sorted %t",
			len(l.Jobs), len(l.Until), len(l.Crowd), slices.IsSorted(l.Jobs))
	}
	return l, nil
}

// leases returns what to remember: who runs on beyond a lease that ended, or
// starts, has a new one.
func (m *round) leases(plan *policy.Plan) *leases {
	n := len(m.all)
	l := &leases{At: m.now, Jobs: make([]policy.JobID, n), Until: make([]time.Time, n), Crowd: make([]float64, n)}
	for i := range m.all {
		a := &m.all[i]
		l.Jobs[i], l.Crowd[i] = a.ID, m.crowd[i]
		switch plan.Decisions[i].Verb {
		case policy.Keep, policy.Start, policy.Move:
			l.Until[i] = a.until
			if !a.until.After(m.now) {
				l.Until[i] = m.now.Add(time.Duration(a.part * float64(m.Policy.Lease)))
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
