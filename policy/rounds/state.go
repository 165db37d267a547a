package rounds

import (
	"slices"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/engine"
)

// State is what is remembered between rounds. It is a value: Allocate replaces it
// and changes nothing in the old one. Rows are by job, columns by GPU type.
type State struct {
	BegunAt              time.Time      `json:"first"`           // when the record was begun
	ComputedAt           time.Time      `json:"solved"`          // when the fractions were computed
	ComputedClockSeconds float64        `json:"clock,omitempty"` // the same more exactly, where it is known
	IsStale              bool           `json:"stale"`           // something happened since then
	Types                []string       `json:"types"`
	ReceivedByType       []float64      `json:"total"` // seconds all jobs received since ComputedAt, by type
	Jobs                 []policy.JobID `json:"jobs"`  // sorted
	Fractions            []float64      `json:"x"`     // row by row; -1 for a job that arrived since ComputedAt
	Received             []float64      `json:"time"`  // seconds since ComputedAt; half a round to begin with
	Deficit              []float64      `json:"owed"`  // seconds due but not received before ComputedAt
	Attained             []float64      `json:"attained"`
	BatchSizes           []int          `json:"batch"` // batch size, for jobs that report one
	LeasedTypes          []int          `json:"last"`  // type of the lease of the last round, from 1; 0: none
}

// next returns the state with a row for each entry of the round, and what the
// jobs received since the last one.
func (s *State) next(r *engine.Round, halfRound float64, adapt bool) State {
	n, types := len(r.Entries), r.GPUTypes()
	w := len(types)
	c := State{
		BegunAt: s.BegunAt, ComputedAt: s.ComputedAt, ComputedClockSeconds: s.ComputedClockSeconds, IsStale: s.IsStale, Types: types, ReceivedByType: make([]float64, w),
		Jobs: make([]policy.JobID, n), Attained: make([]float64, n), BatchSizes: make([]int, n), LeasedTypes: make([]int, n),
	}
	all := make([]float64, 3*n*w)
	c.Fractions, c.Received, c.Deficit = all[:n*w:n*w], all[n*w:2*n*w:2*n*w], all[2*n*w:]
	same := slices.Equal(types, s.Types)
	if same {
		copy(c.ReceivedByType, s.ReceivedByType)
	}
	if s.BegunAt.IsZero() || !same {
		c.BegunAt, c.ComputedAt, c.ComputedClockSeconds, c.IsStale = r.Now, r.Now, r.ClockSeconds, true
	}
	found, rows := 0, r.JobIndexes(s.Jobs)
	for i, e := range r.Entries {
		c.Jobs[i], c.Attained[i] = e.ID, float64(e.Attained)
		if e.Training != nil {
			c.BatchSizes[i] = e.Training.BatchSize
		}
		old := rows[i]
		if !same || old < 0 {
			c.addJob(i, halfRound)
			continue
		}
		found++
		c.carryOver(i, s, old, e)
		c.IsStale = c.IsStale || adapt && c.BatchSizes[i] != s.BatchSizes[old]
	}
	c.IsStale = c.IsStale || found < len(s.Jobs)
	return c
}

// addJob gives a new job half a round, so that it can be compared.
func (s *State) addJob(i int, halfRound float64) {
	w := len(s.Types)
	for k := range w {
		s.Fractions[i*w+k], s.Received[i*w+k] = -1, halfRound
		s.ReceivedByType[k] += halfRound
	}
	s.IsStale = true
}

// isNew reports whether the job has no fractions yet.
func (s *State) isNew(row int) bool {
	return len(s.Types) > 0 && s.Fractions[row*len(s.Types)] < 0
}

// carryOver takes a row over and adds what the job received.
func (s *State) carryOver(i int, last *State, row int, e *engine.Entry) {
	w := len(s.Types)
	copy(s.Fractions[i*w:i*w+w], last.Fractions[row*w:])
	copy(s.Received[i*w:i*w+w], last.Received[row*w:])
	copy(s.Deficit[i*w:i*w+w], last.Deficit[row*w:])
	seconds := e.Ask.GPUs.SecondsForService(e.ReceivedSince(policy.GPUSeconds(last.Attained[row])))
	if k := s.typeOf(e, last.LeasedTypes[row]); k >= 0 {
		s.Received[i*w+k] += seconds
		s.ReceivedByType[k] += seconds
	}
	if last.LeasedTypes[row] > 0 && seconds == 0 {
		s.IsStale = true
	}
}

// typeOf returns the column of the type the job runs on, or else of its last
// lease; -1: none.
func (s *State) typeOf(e *engine.Entry, lease int) int {
	if len(e.On) > 0 {
		return slices.Index(s.Types, e.On.FirstType())
	}
	return lease - 1
}

// secondsSinceComputed returns the seconds since the fractions were computed. Jobs of the same
// deficit but for rounding are told apart by it, so it is as exact as it can be.
func (s *State) secondsSinceComputed(r *engine.Round) float64 {
	if r.ClockSeconds > 0 {
		return r.ClockSeconds - s.ComputedClockSeconds
	}
	return r.Now.Sub(s.ComputedAt).Seconds()
}
