package gandiva

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"fairbridge/policy"
	"fairbridge/policy/engine"
)

// memo is what Gandiva remembers: the time every job ran and the pairs.
type memo struct {
	Jobs        []policy.JobID      `json:"jobs"` // sorted
	SecondsRun  []float64           `json:"ran"`  // seconds it ran, and the least of all when it arrived
	Attained    []policy.GPUSeconds `json:"attained"`
	Pairs       []pair              `json:"pairs,omitempty"` // sorted by guest
	FailedPairs []pairID            `json:"bad,omitempty"`   // tried and undone, sorted
}

// pair is two jobs that take their time slices together, the guest on the GPUs of
// the host, and where both were when they were first seen so.
type pair struct {
	Host       policy.JobID `json:"host"`
	Guest      policy.JobID `json:"guest"`
	IsMeasured bool         `json:"seen"`
	StepsDone  [2]float64   `json:"done"` // steps of host and guest when first seen
	SecondsRun [2]float64   `json:"ran"`  // how long they had run then
}

// pairID is two jobs, the smaller id first.
type pairID [2]policy.JobID

func newPairID(a, b policy.JobID) pairID { return pairID{min(a, b), max(a, b)} }

func (d pairID) compare(o pairID) int {
	return cmp.Or(cmp.Compare(d[0], o[0]), cmp.Compare(d[1], o[1]))
}

func recallMemo(s *policy.Snapshot) (*memo, error) {
	m, err := policy.Recall[*memo](s.Memo)
	switch {
	case err != nil:
		return nil, err
	case m == nil:
		return &memo{}, nil
	case len(m.Jobs) != len(m.SecondsRun) || len(m.Jobs) != len(m.Attained) || !slices.IsSorted(m.Jobs):
		return nil, fmt.Errorf("reading what was remembered: lists of %d jobs do not go together", len(m.Jobs))
	}
	return m, nil
}

// update adds what the jobs ran since the last round. A new job begins with the least
// of all that could run.
func (m *memo) update(r *engine.Round) *memo {
	size := len(r.Entries)
	n := &memo{Jobs: make([]policy.JobID, size), SecondsRun: make([]float64, size), Attained: make([]policy.GPUSeconds, size)}
	least, rows := math.Inf(1), r.JobIndexes(m.Jobs)
	for i, e := range r.Entries {
		n.Jobs[i], n.Attained[i], n.SecondsRun[i] = e.ID, e.Attained, -1
		at := rows[i]
		if at < 0 {
			continue
		}
		n.SecondsRun[i] = m.SecondsRun[at] + e.Ask.GPUs.SecondsForService(e.ServiceSinceAttained(m.Attained[at]))
		if r.MayRun(e) {
			least = min(least, n.SecondsRun[i])
		}
	}
	if math.IsInf(least, 1) {
		least = 0
	}
	for i := range n.SecondsRun {
		if n.SecondsRun[i] < 0 {
			n.SecondsRun[i] = least
		}
	}
	n.FailedPairs = slices.DeleteFunc(slices.Clone(m.FailedPairs), func(d pairID) bool { return r.Job(d[0]) == nil || r.Job(d[1]) == nil })
	return n
}

// secondsRun returns how long a job of this round ran.
func (m *memo) secondsRun(id policy.JobID) float64 {
	i, _ := slices.BinarySearch(m.Jobs, id)
	return m.SecondsRun[i]
}
