package gandiva

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"fairbridge/policy"
	"fairbridge/policy/engine"
)

// slicesMemo is what Gandiva remembers: the turns of every job and its pairs.
type slicesMemo struct {
	Jobs     []policy.JobID      `json:"jobs"` // sorted
	Ran      []float64           `json:"ran"`  // seconds of turns, from the least when it came
	Attained []policy.GPUSeconds `json:"attained"`
	Pairs    []pairing           `json:"pairs,omitempty"` // sorted by guest
	Bad      []duo               `json:"bad,omitempty"`   // tried and undone, sorted
}

// pairing is two jobs that take their turns together, the guest on the GPUs of
// the host, and where both were when they were first seen so.
type pairing struct {
	Host  policy.JobID `json:"host"`
	Guest policy.JobID `json:"guest"`
	Seen  bool         `json:"seen"`
	Done  [2]float64   `json:"done"` // steps of host and guest when first seen
	Ran   [2]float64   `json:"ran"`  // their turns then
}

// duo is two jobs, the smaller id first.
type duo [2]policy.JobID

func duoOf(a, b policy.JobID) duo { return duo{min(a, b), max(a, b)} }

func (d duo) compare(o duo) int { return cmp.Or(cmp.Compare(d[0], o[0]), cmp.Compare(d[1], o[1])) }

func readSlices(s *policy.Snapshot) (*slicesMemo, error) {
	m, err := policy.Recall[*slicesMemo](s.Memo)
	switch {
	case err != nil:
		return nil, err
	case m == nil:
		return &slicesMemo{}, nil
	case len(m.Jobs) != len(m.Ran) || len(m.Jobs) != len(m.Attained) || !slices.IsSorted(m.Jobs):
		return nil, fmt.Errorf("reading what was remembered: lists of %d jobs do not go together", len(m.Jobs))
	}
	return m, nil
}

// next adds the turns since the last round. A new job begins with the least
// that anybody has.
func (m *slicesMemo) next(r *engine.Round) *slicesMemo {
	size := len(r.Entries)
	n := &slicesMemo{Jobs: make([]policy.JobID, size), Ran: make([]float64, size), Attained: make([]policy.GPUSeconds, size)}
	least, at := math.Inf(1), 0
	for i, e := range r.Entries {
		n.Jobs[i], n.Attained[i], n.Ran[i] = e.ID, e.Attained, -1
		for at < len(m.Jobs) && m.Jobs[at] < e.ID {
			at++
		}
		if at == len(m.Jobs) || m.Jobs[at] != e.ID {
			continue
		}
		n.Ran[i] = m.Ran[at] + gained(e, m.Attained[at])
		if r.Startable(e) {
			least = min(least, n.Ran[i])
		}
	}
	if math.IsInf(least, 1) {
		least = 0
	}
	for i := range n.Ran {
		if n.Ran[i] < 0 {
			n.Ran[i] = least
		}
	}
	n.Bad = slices.DeleteFunc(slices.Clone(m.Bad), func(d duo) bool { return r.Job(d[0]) == nil || r.Job(d[1]) == nil })
	return n
}

// gained returns the seconds the job ran since it had attained was.
func gained(e *engine.Entry, was policy.GPUSeconds) float64 {
	if g := e.Ask.GPUs.Whole(); g > 0 {
		return float64(e.Received(was)) / g
	}
	return 0
}
