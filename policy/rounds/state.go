package rounds

import (
	"slices"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/engine"
)

// AllocatorState is what is remembered between rounds. It is a value: Allocate replaces it
// and changes nothing in the old one. Rows are by job, columns by GPU type.
type AllocatorState struct {
	BegunAt               time.Time      `json:"first"`           // when the record was begun
	ComputedAt            time.Time      `json:"solved"`          // when the fractions were computed
	ComputedClockSeconds  float64        `json:"clock,omitempty"` // the same more exactly, where it is known
	IsStale               bool           `json:"stale"`           // something happened since then
	Types                 []string       `json:"types"`
	TotalReceivedByType   []float64      `json:"total"` // seconds all jobs received since ComputedAt, by type
	Jobs                  []policy.JobID `json:"jobs"`  // sorted
	Fractions             []float64      `json:"x"`     // row by row; -1 for a job that arrived since ComputedAt
	ReceivedSinceComputed []float64      `json:"time"`  // seconds since ComputedAt; half a round to begin with
	DeficitSeconds        []float64      `json:"owed"`  // seconds due but not received before ComputedAt
	AttainedService       []float64      `json:"attained"`
	LastTypeNumbers       []int          `json:"last"` // type of the lease of the last round, from 1; 0: none
}

// nextState returns the state with a row for each entry of the round, and what the
// jobs received since the last one.
func (s *AllocatorState) nextState(r *engine.Round, halfRound float64) AllocatorState {
	n, types := len(r.Entries), r.GPUTypes()
	w := len(types)
	c := AllocatorState{
		BegunAt: s.BegunAt, ComputedAt: s.ComputedAt, ComputedClockSeconds: s.ComputedClockSeconds, IsStale: s.IsStale, Types: types, TotalReceivedByType: make([]float64, w),
		Jobs: make([]policy.JobID, n), AttainedService: make([]float64, n), LastTypeNumbers: make([]int, n),
	}
	all := make([]float64, 3*n*w)
	c.Fractions, c.ReceivedSinceComputed, c.DeficitSeconds = all[:n*w:n*w], all[n*w:2*n*w:2*n*w], all[2*n*w:]
	same := slices.Equal(types, s.Types)
	if same {
		copy(c.TotalReceivedByType, s.TotalReceivedByType)
	}
	if s.BegunAt.IsZero() || !same {
		c.BegunAt, c.ComputedAt, c.ComputedClockSeconds, c.IsStale = r.Now, r.Now, r.ClockSeconds, true
	}
	found, rows := 0, r.JobIndexes(s.Jobs)
	for i, e := range r.Entries {
		c.Jobs[i], c.AttainedService[i] = e.ID, float64(e.Attained)
		old := rows[i]
		if !same || old < 0 {
			c.addJob(i, halfRound)
			continue
		}
		found++
		c.carryOverJob(i, s, old, e)
	}
	c.IsStale = c.IsStale || found < len(s.Jobs)
	return c
}

// addJob gives a new job half a round, so that it can be compared.
func (s *AllocatorState) addJob(i int, halfRound float64) {
	w := len(s.Types)
	for k := range w {
		s.Fractions[i*w+k], s.ReceivedSinceComputed[i*w+k] = -1, halfRound
		s.TotalReceivedByType[k] += halfRound
	}
	s.IsStale = true
}

// isNewJob reports whether the job has no fractions yet.
func (s *AllocatorState) isNewJob(row int) bool {
	return len(s.Types) > 0 && s.Fractions[row*len(s.Types)] < 0
}

// carryOverJob takes a row over and adds what the job received.
func (s *AllocatorState) carryOverJob(i int, last *AllocatorState, row int, e *engine.Entry) {
	w := len(s.Types)
	copy(s.Fractions[i*w:i*w+w], last.Fractions[row*w:])
	copy(s.ReceivedSinceComputed[i*w:i*w+w], last.ReceivedSinceComputed[row*w:])
	copy(s.DeficitSeconds[i*w:i*w+w], last.DeficitSeconds[row*w:])
	seconds := e.Ask.GPUs.SecondsForService(e.ServiceSinceAttained(policy.GPUSeconds(last.AttainedService[row])))
	if k := s.indexOfType(e, last.LastTypeNumbers[row]); k >= 0 {
		s.ReceivedSinceComputed[i*w+k] += seconds
		s.TotalReceivedByType[k] += seconds
	}
	if last.LastTypeNumbers[row] > 0 && seconds == 0 {
		s.IsStale = true
	}
}

// indexOfType returns the column of the type the job runs on, or else of its last
// lease; -1: none.
func (s *AllocatorState) indexOfType(e *engine.Entry, lease int) int {
	if len(e.On) > 0 {
		return slices.Index(s.Types, e.On.FirstType())
	}
	return lease - 1
}

// secondsSinceComputed returns the seconds since the fractions were computed. Jobs of the same
// deficit but for rounding are told apart by it, so it is as exact as it can be.
func (s *AllocatorState) secondsSinceComputed(r *engine.Round) float64 {
	if r.ClockSeconds > 0 {
		return r.ClockSeconds - s.ComputedClockSeconds
	}
	return r.Now.Sub(s.ComputedAt).Seconds()
}
