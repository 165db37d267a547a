package rounds

import (
	"fmt"
	"time"

	"fairbridge/policy/engine"
)

// FractionsFunc returns which fraction of the time, 0 to 1, each of r.Entries should
// run on each of the types: X[i][k]. A row of nil is all zeros.
type FractionsFunc func(r *engine.Round, types []string) (x [][]float64, err error)

// Allocator is the stage: an engine.Allocator for one Decide.
type Allocator struct {
	// RoundLength is how long a round is thought to last; a job is compared as if it
	// had received half of one.
	RoundLength time.Duration
	// MinRecomputeInterval is the least time between two computations of the fractions. They
	// are computed when a job arrived, ended, or had a lease and did not run.
	MinRecomputeInterval time.Duration
	// NewJobsWait lets jobs that arrived since the last computation wait for the next
	// one even where GPUs idle, as the published simulators do.
	NewJobsWait bool
	Fractions   FractionsFunc
	State       AllocatorState // as remembered; Allocate replaces it
}

// Allocate implements engine.Allocator: by the best priority on any type; of all
// pairs of a job and a type, the first ones that fit in what is left of the type have
// a lease.
func (a *Allocator) Allocate(r *engine.Round) ([]engine.Assignment, error) {
	halfRound := a.RoundLength.Seconds() / 2
	a.State = a.State.nextState(r, halfRound)
	s := &a.State
	if since := s.secondsSinceComputed(r); s.IsStale && (since >= a.MinRecomputeInterval.Seconds() || s.ComputedAt.Equal(s.BegunAt)) {
		x, err := a.Fractions(r, s.Types)
		if err == nil {
			err = s.beginPeriod(r, x, since, halfRound)
		}
		if err != nil {
			return nil, err
		}
	}
	turns, turn := make([]engine.Assignment, 0, len(r.Entries)), make([]int, len(r.Entries))
	left := s.countGrantableByType(r)
	for _, o := range s.listJobsOnTypes(r) {
		e := r.Entries[o.jobIndex]
		if turn[o.jobIndex] == 0 {
			turns = append(turns, a.assignmentWithoutLease(e))
			turn[o.jobIndex] = len(turns)
		}
		t := &turns[turn[o.jobIndex]-1]
		if n := t.DeviceCount; n > 0 && n <= left[o.typeIndex] && s.LastTypeNumbers[o.jobIndex] == 0 && MayRunOnType(r, e, s.Types[o.typeIndex]) {
			s.LastTypeNumbers[o.jobIndex] = o.typeIndex + 1
			left[o.typeIndex] -= n
		}
		if k := s.LastTypeNumbers[o.jobIndex]; k > 0 {
			t.Grant = engine.Grant{HasLease: true, GPUType: s.Types[k-1]}
		}
	}
	if len(s.Types) == 0 {
		for _, e := range r.Entries {
			turns = append(turns, a.assignmentWithoutLease(e))
		}
	}
	return turns, nil
}

// assignmentWithoutLease returns the assignment of a job without a lease: what it holds or asks, and
// nothing for one that has to wait.
func (a *Allocator) assignmentWithoutLease(e *engine.Entry) engine.Assignment {
	t := e.AssignmentWithoutLease()
	if a.NewJobsWait && !e.HoldsGPUs() && a.State.isNewJob(e.Index) {
		t.DeviceCount = 0
	}
	return t
}

// countGrantableByType returns the devices of each type that may be granted. Jobs that stay
// have a lease where they run.
func (s *AllocatorState) countGrantableByType(r *engine.Round) []int {
	left := make([]int, len(s.Types))
	for k, typ := range s.Types {
		left[k] = r.FreePool.TotalFree(typ)
	}
	for _, e := range r.RunningEntries() {
		if k := s.indexOfType(e, 0); k >= 0 && e.IsUnstoppable {
			s.LastTypeNumbers[e.Index] = k + 1
		} else if k >= 0 {
			left[k] += e.On.Count()
		}
	}
	return left
}

// beginPeriod closes the period and begins the next one with new fractions.
func (s *AllocatorState) beginPeriod(r *engine.Round, x [][]float64, elapsed, halfRound float64) error {
	if len(x) != len(s.Jobs) {
		return fmt.Errorf("%d rows of fractions for %d jobs", len(x), len(s.Jobs))
	}
	w := len(s.Types)
	clear(s.TotalReceivedByType)
	for i := range s.Jobs {
		if x[i] != nil && len(x[i]) != w {
			return fmt.Errorf("job %d: %d fractions for %d GPU types", s.Jobs[i], len(x[i]), w)
		}
		for k := range w {
			at := i*w + k
			s.DeficitSeconds[at] += max(s.Fractions[at], 0)*elapsed - (s.ReceivedSinceComputed[at] - halfRound)
			s.ReceivedSinceComputed[at], s.Fractions[at] = halfRound, 0
			s.TotalReceivedByType[k] += halfRound
			if x[i] != nil {
				s.Fractions[at] = x[i][k]
			}
		}
	}
	s.ComputedAt, s.ComputedClockSeconds, s.IsStale = r.Now, r.ClockSeconds, false
	return nil
}
