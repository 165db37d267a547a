package astraea

import (
	"fmt"
	"math"
	"slices"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/engine"
)

// deservedService remembers, per job, the GPU time it would have received so far had
// all jobs always had the same part of its account's quota. It is kept in
// Plan.Memo, as two lists in order of job: small for many jobs.
type deservedService struct {
	At       time.Time           `json:"at"`
	Jobs     []policy.JobID      `json:"jobs"`
	Deserved []policy.GPUSeconds `json:"deserved"`
}

func recallDeservedService(s *policy.Snapshot) (*deservedService, error) {
	d, err := policy.Recall[*deservedService](s.Memo)
	if err != nil {
		return nil, err
	}
	if d == nil {
		return &deservedService{}, nil
	}
	if len(d.Jobs) != len(d.Deserved) || !slices.IsSorted(d.Jobs) {
		return nil, fmt.Errorf("reading what was remembered: %d jobs, %d values, sorted %t",
			len(d.Jobs), len(d.Deserved), slices.IsSorted(d.Jobs))
	}
	return d, nil
}

// update adds what every job deserved since the last round: of its account's quota the
// same part as the others that run or could start, but no more than it asks. A job
// seen for the first time deserved it since it arrived. Jobs that left are
// forgotten.
func (d *deservedService) update(r *engine.Round, quota map[string]float64) *deservedService {
	count := map[string]float64{}
	for _, e := range r.Entries {
		if r.MayRun(e) {
			count[e.Account] += float64(e.TaskCount())
		}
	}
	n := &deservedService{At: r.Now, Jobs: make([]policy.JobID, len(r.Entries)), Deserved: make([]policy.GPUSeconds, len(r.Entries))}
	for i, row := range r.JobIndexes(d.Jobs) {
		e, sum, since := r.Entries[i], policy.GPUSeconds(0), d.At
		if row >= 0 {
			sum = d.Deserved[row]
		} else {
			since = e.Arrive
		}
		gpus := 0.0
		if r.MayRun(e) {
			gpus = min(e.Ask.GPUs.WholeGPUs(), quota[e.Account]/count[e.Account])
		}
		sum += policy.ServiceForTime(gpus, max(r.Now.Sub(since), 0))
		n.Jobs[i], n.Deserved[i] = e.ID, policy.GPUSeconds(math.Round(float64(sum)*10)/10)
	}
	return n
}
