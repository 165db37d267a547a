package fairbridge

import (
	"fmt"
	"slices"

	"fairbridge/policy"
	"fairbridge/policy/predict"
)

// contentionPeaks remembers, per job, the worst contention it met: how many times longer
// than alone it would take on the GPUs that are its user's part. The peak, not the
// present: what a job is due must not shrink when others leave.
type contentionPeaks struct {
	Jobs []policy.JobID `json:"jobs"` // sorted
	Peak []float64      `json:"peak"` // at least 1
	predict.ReportMemory
	owners owners
}

func recallContentionPeaks(s *policy.Snapshot) (*contentionPeaks, error) {
	p, err := policy.Recall[*contentionPeaks](s.Memo)
	switch {
	case err != nil:
		return nil, err
	case p == nil:
		return &contentionPeaks{}, nil
	case len(p.ReportMemory.Jobs) != len(p.Looks) || !slices.IsSorted(p.ReportMemory.Jobs):
		return nil, fmt.Errorf("reading what was remembered: reports of %d jobs, %d of them known",
			len(p.ReportMemory.Jobs), len(p.Looks))
	case len(p.Jobs) != len(p.Peak) || !slices.IsSorted(p.Jobs):
		return nil, fmt.Errorf("reading what was remembered: %d jobs, %d values, sorted %t",
			len(p.Jobs), len(p.Peak), slices.IsSorted(p.Jobs))
	}
	return p, nil
}

// update raises the peaks to the present contention, and forgets jobs that left.
func (p *contentionPeaks) update(s *policy.Snapshot) *contentionPeaks {
	rows := s.AppendJobIndexes(make([]int, 0, 256), p.Jobs)
	n := &contentionPeaks{Jobs: make([]policy.JobID, len(s.Jobs)), Peak: make([]float64, len(s.Jobs))}
	n.owners = findOwners(s, p.owners, rows)
	now := newContention(s, n.owners)
	for i, row := range rows {
		j := &s.Jobs[i]
		n.Jobs[i], n.Peak[i] = j.ID, max(1, now.of(j, n.owners.byJob[i]))
		if row >= 0 {
			n.Peak[i] = max(n.Peak[i], p.Peak[row])
		}
	}
	return n
}
