package astraea

import (
	"fmt"
	"math"
	"slices"
	"time"

	"fairbridge/policy"
)

// deserved remembers, per job, the GPU time it would have received so far had
// everybody always had the same part of its account's quota. It is kept in
// Plan.Memo, as two lists in order of job: small for many jobs.
type deserved struct {
	At   time.Time           `json:"at"`
	Jobs []policy.JobID      `json:"jobs"`
	Sums []policy.GPUSeconds `json:"deserved"`
}

func readDeserved(s *policy.Snapshot) (*deserved, error) {
	d, err := policy.Recall[*deserved](s.Memo)
	if err != nil {
		return nil, err
	}
	if d == nil {
		return &deserved{}, nil
	}
	if len(d.Jobs) != len(d.Sums) || !slices.IsSorted(d.Jobs) {
		return nil, fmt.Errorf("reading what was remembered: %d jobs, %d values, sorted %t",
			len(d.Jobs), len(d.Sums), slices.IsSorted(d.Jobs))
	}
	return d, nil
}

// of returns what the job has deserved; seen is false for a new one.
func (d *deserved) of(id policy.JobID) (sum policy.GPUSeconds, seen bool) {
	i, seen := slices.BinarySearch(d.Jobs, id)
	if !seen {
		return 0, false
	}
	return d.Sums[i], true
}

// next adds what every job deserved since the last round, at a rate in GPUs; a
// job seen for the first time deserved it since it arrived. Jobs that left are
// forgotten.
func (d *deserved) next(s *policy.Snapshot, rate func(*policy.Job) float64) *deserved {
	n := &deserved{At: s.Now, Jobs: make([]policy.JobID, len(s.Jobs)), Sums: make([]policy.GPUSeconds, len(s.Jobs))}
	for i := range s.Jobs {
		j := &s.Jobs[i]
		sum, seen := d.of(j.ID)
		since := d.At
		if !seen {
			since = j.Arrive
		}
		sum += policy.Service(rate(j), max(s.Now.Sub(since), 0))
		n.Jobs[i], n.Sums[i] = j.ID, policy.GPUSeconds(math.Round(float64(sum)*10)/10)
	}
	return n
}
