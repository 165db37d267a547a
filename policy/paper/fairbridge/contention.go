package fairbridge

import (
	"fmt"
	"slices"

	"fairbridge/policy"
	"fairbridge/policy/share"
)

// contentionPeaks remembers, per job, the worst contention it met: how many times longer
// than alone it would take on its fair part of the cluster. The peak, not the
// present: what a job is due must not shrink when others leave.
type contentionPeaks struct {
	Jobs []policy.JobID `json:"jobs"` // sorted
	Peak []float64      `json:"peak"` // at least 1
}

func recallContentionPeaks(s *policy.Snapshot) (*contentionPeaks, error) {
	p, err := policy.Recall[*contentionPeaks](s.Memo)
	switch {
	case err != nil:
		return nil, err
	case p == nil:
		return &contentionPeaks{}, nil
	case len(p.Jobs) != len(p.Peak) || !slices.IsSorted(p.Jobs):
		return nil, fmt.Errorf("reading what was remembered: %d jobs, %d values, sorted %t",
			len(p.Jobs), len(p.Peak), slices.IsSorted(p.Jobs))
	}
	return p, nil
}

// update raises the peaks to the present contention, and forgets jobs that left.
func (p *contentionPeaks) update(s *policy.Snapshot) *contentionPeaks {
	n := &contentionPeaks{make([]policy.JobID, len(s.Jobs)), make([]float64, len(s.Jobs))}
	now := contentionByAccount(s)
	for i, row := range s.JobIndexes(p.Jobs) {
		j := &s.Jobs[i]
		n.Jobs[i], n.Peak[i] = j.ID, max(1, now[j.Account])
		if row >= 0 {
			n.Peak[i] = max(n.Peak[i], p.Peak[row])
		}
	}
	return n
}

// contentionByAccount returns, by account, one over the part of a GPU that each of its
// jobs gets when the cluster is divided by weight among the accounts that have
// jobs here, and an account's part equally among its jobs.
func contentionByAccount(s *policy.Snapshot) map[string]float64 {
	jobs, weights, gpus := map[string]int{}, 0.0, s.WholeGPUs()
	for i := range s.Jobs {
		if j := &s.Jobs[i]; j.HoldsGPUs() || j.CanStart(s.Now) {
			if jobs[j.Account] == 0 {
				weights += share.AccountWeight(s, j.Account)
			}
			jobs[j.Account] += j.TaskCount()
		}
	}
	out := make(map[string]float64, len(jobs))
	for account, n := range jobs {
		if part := gpus * share.AccountWeight(s, account) / weights; part > 0 {
			out[account] = float64(n) / part
		}
	}
	return out
}
