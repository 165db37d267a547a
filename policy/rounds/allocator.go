package rounds

import (
	"fmt"
	"time"

	"fairbridge/policy/engine"
)

// Fractions returns which fraction of the time, 0 to 1, each of r.Entries should
// run on each of the types: X[i][k]. A row of nil is all zeros.
type Fractions func(r *engine.Round, types []string) (x [][]float64, err error)

// Allocator is the stage, a engine.Allocator for one Decide.
type Allocator struct {
	// Round is how long a round is thought to last; a job is compared as if it
	// had received half of one.
	Round time.Duration
	// Recompute is the least time between two computations of the fractions. They
	// are computed when a job arrived, ended, or had a lease and did not run.
	Recompute time.Duration
	// Adapt: they are also computed when a job changed its batch size. The
	// published simulators do not.
	Adapt bool
	// Wait lets jobs that arrived since the last computation wait for the next
	// one even where GPUs idle, as the published simulators do.
	Wait      bool
	Fractions Fractions
	State     State // as remembered; Allocate replaces it
}

// Allocate implements engine.Allocator: by the best priority on any type; of all
// jobs on all types, those have a lease that come first and fit in what is left of
// the type.
func (a *Allocator) Allocate(r *engine.Round) ([]engine.Turn, error) {
	half := a.Round.Seconds() / 2
	a.State = a.State.next(r, half, a.Adapt)
	s := &a.State
	if since := s.since(r); s.Stale && (since >= a.Recompute.Seconds() || s.Solved.Equal(s.First)) {
		x, err := a.Fractions(r, s.Types)
		if err == nil {
			err = s.renew(r, x, since, half)
		}
		if err != nil {
			return nil, err
		}
	}
	turns, turn := make([]engine.Turn, 0, len(r.Entries)), make([]int, len(r.Entries))
	left := s.capacity(r)
	for _, o := range s.offers(r) {
		e := r.Entries[o.row]
		if turn[o.row] == 0 {
			turns = append(turns, a.turn(e))
			turn[o.row] = len(turns)
		}
		t := &turns[turn[o.row]-1]
		if n := t.Devices; n > 0 && n <= left[o.typ] && s.Lease[o.row] == 0 && RunsOn(r, e, s.Types[o.typ]) {
			s.Lease[o.row] = o.typ + 1
			left[o.typ] -= n
		}
		if k := s.Lease[o.row]; k > 0 {
			t.Grant = engine.Grant{Run: true, Type: s.Types[k-1]}
		}
	}
	if len(s.Types) == 0 {
		for _, e := range r.Entries {
			turns = append(turns, a.turn(e))
		}
	}
	return turns, nil
}

// turn returns the turn of a job without a lease: what it holds or asks, and
// nothing for one that has to wait.
func (a *Allocator) turn(e *engine.Entry) engine.Turn {
	t := e.Turn()
	if a.Wait && !e.HoldsGPUs() && a.State.isNew(e.Index) {
		t.Devices = 0
	}
	return t
}

// capacity returns the devices of each type that may be granted. Jobs that stay
// have a lease where they run.
func (s *State) capacity(r *engine.Round) []int {
	left := make([]int, len(s.Types))
	for k, typ := range s.Types {
		left[k] = r.Free.TotalFree(typ)
	}
	for _, e := range r.Active() {
		if k := s.typeOf(e, 0); k >= 0 && e.Unstoppable {
			s.Lease[e.Index] = k + 1
		} else if k >= 0 {
			left[k] += e.On.Count()
		}
	}
	return left
}

// renew closes the period and begins the next one with new fractions.
func (s *State) renew(r *engine.Round, x [][]float64, elapsed, half float64) error {
	if len(x) != len(s.Jobs) {
		return fmt.Errorf("%d rows of fractions for %d jobs", len(x), len(s.Jobs))
	}
	w := len(s.Types)
	clear(s.Total)
	for i := range s.Jobs {
		if x[i] != nil && len(x[i]) != w {
			return fmt.Errorf("job %d: %d fractions for %d GPU types", s.Jobs[i], len(x[i]), w)
		}
		for k := range w {
			at := i*w + k
			s.Deficit[at] += max(s.Fraction[at], 0)*elapsed - (s.Received[at] - half)
			s.Received[at], s.Fraction[at] = half, 0
			s.Total[k] += half
			if x[i] != nil {
				s.Fraction[at] = x[i][k]
			}
		}
	}
	s.Solved, s.Clock, s.Stale = r.Now, r.ClockSeconds, false
	return nil
}
