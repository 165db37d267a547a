package paper

import (
	"fmt"
	"math"
	"slices"

	"fairbridge/policy"
)

// passes is what stride scheduling remembers. A job has a pass on every GPU
// type, row by row: GPU-seconds received there over its tickets there.
type passes struct {
	Types    []string            `json:"types"`
	Jobs     []policy.JobID      `json:"jobs"` // sorted
	Pass     []float64           `json:"pass"` // jobs by types
	Attained []policy.GPUSeconds `json:"attained"`
	Tickets  []float64           `json:"tickets"` // jobs by types, in GPUs: as of the last round
	Last     []int               `json:"last"`    // type it ran on last, from 1; 0: none
}

func readPasses(s *policy.Snapshot) (*passes, error) {
	p, err := policy.Recall[*passes](s.Memo)
	if err != nil || p == nil {
		return &passes{}, err
	}
	n, w := len(p.Jobs), len(p.Types)
	if !slices.IsSorted(p.Jobs) || len(p.Attained) != n || len(p.Last) != n || len(p.Pass) != n*w || len(p.Tickets) != n*w {
		return nil, fmt.Errorf("reading what was remembered: lists of %d jobs and %d types do not go together", n, w)
	}
	return p, nil
}

// next adds what every job received since the last round to its pass. A new
// job begins at the smallest pass of its pool: nobody saves up credit before he
// comes. Jobs that left are forgotten.
func (p *passes) next(r *policy.Round, types []string) *passes {
	size, w := len(r.Entries), len(types)
	n := &passes{Types: types, Jobs: make([]policy.JobID, size), Pass: make([]float64, size*w),
		Attained: make([]policy.GPUSeconds, size), Tickets: make([]float64, size*w), Last: make([]int, size)}
	same, at := slices.Equal(types, p.Types), 0
	known := make([]bool, size)
	for i, e := range r.Entries {
		n.Jobs[i], n.Attained[i] = e.ID, e.Attained
		if len(e.On) > 0 {
			n.Last[i] = slices.Index(types, e.On[0].Type) + 1
		}
		for at < len(p.Jobs) && p.Jobs[at] < e.ID {
			at++
		}
		if known[i] = same && at < len(p.Jobs) && p.Jobs[at] == e.ID; known[i] {
			n.carry(i, p, at, e)
		}
	}
	n.begin(r, known)
	return n
}

// carry takes a job's passes over and adds what it received.
func (p *passes) carry(i int, old *passes, was int, e *policy.Entry) {
	w := len(p.Types)
	copy(p.Pass[i*w:i*w+w], old.Pass[was*w:])
	if p.Last[i] == 0 {
		p.Last[i] = old.Last[was]
	}
	got := float64(e.Attained - old.Attained[was])
	if e.Gained.Known {
		got = e.Gained.Value
	}
	if k := p.Last[i] - 1; k >= 0 && old.Tickets[was*w+k] > 0 {
		p.Pass[i*w+k] += max(got, 0) / old.Tickets[was*w+k]
	}
}

// begin gives the new jobs the smallest pass of each pool.
func (p *passes) begin(r *policy.Round, known []bool) {
	w := len(p.Types)
	least := make([]float64, w)
	for k := range least {
		least[k] = math.Inf(1)
		for i, e := range r.Entries {
			if known[i] && r.Startable(e) {
				least[k] = min(least[k], p.Pass[i*w+k])
			}
		}
		if math.IsInf(least[k], 1) {
			least[k] = 0
		}
	}
	for i := range known {
		if !known[i] {
			copy(p.Pass[i*w:i*w+w], least)
		}
	}
}
