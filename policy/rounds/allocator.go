// Package rounds makes rounds out of fractions of time. A policy says which
// fraction of the time each job should run on each GPU type; the package keeps
// account of what jobs were due and received, and decides from it, round by
// round, which job runs where. It is the mechanism of Gavel (D. Narayanan et al., OSDI 2020) with
// which the simulators of Gavel and Shockwave run all their fraction policies.
//
//	func (p *Mine) Decide(s *policy.Snapshot) (*policy.Plan, error) {
//		state, err := policy.Recall[rounds.AllocatorState](s.Memo)
//		if err != nil {
//			return nil, fmt.Errorf("policy mine: %w", err)
//		}
//		stage := rounds.Allocator{RoundLength: 2 * time.Minute, MinRecomputeInterval: 1000 * time.Second, Fractions: p.fractions, State: state}
//		plan, err := engine.Pipeline{Name: "mine", Allocate: &stage, Rules: p.rules()}.Decide(s)
//		if err == nil {
//			plan.Memo = policy.Remember(stage.State)
//		}
//		return plan, err
//	}
//
// A job's priority on a type is its fraction divided by its part of the time
// all jobs received there since the fractions were last computed. Jobs are served
// by priority, then by their deficit from earlier, then by fraction; one that does
// not fit in the GPUs left is skipped. Jobs without a fraction come last and fill
// what would idle.
package rounds

import (
	"cmp"
	"fmt"
	"slices"
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

// jobOnType is a job on a type.
type jobOnType struct {
	jobIndex, typeIndex         int
	typePreference              int // place of the type among those of the job, the fastest for it first
	priority, deficit, fraction float64
}

// listJobsOnTypes returns every job on every type, first served first. A job that is due as
// much on several types begins with the one that is fastest for it.
func (s *AllocatorState) listJobsOnTypes(r *engine.Round) []jobOnType {
	w := len(s.Types)
	all, order := make([]jobOnType, 0, w*len(r.Entries)), make([]string, w)
	for i, e := range r.Entries {
		copy(order, s.Types)
		r.SortFastestFirst(e.Job, order)
		for k, typ := range s.Types {
			at := i*w + k
			x := max(s.Fractions[at], 0)
			all = append(all, jobOnType{i, k, slices.Index(order, typ), priorityOf(x, s.ReceivedSinceComputed[at], s.TotalReceivedByType[k]), s.DeficitSeconds[at], x})
		}
	}
	slices.SortFunc(all, jobOnType.compare)
	return all
}

// priorityOf is the fraction due over the fraction received.
func priorityOf(x, time, total float64) float64 {
	switch {
	case x == 0:
		return 0
	case total <= 0 || time/total == 0:
		return x * 1e9
	}
	return x / (time / total)
}

// compare puts first what is served first.
func (o jobOnType) compare(p jobOnType) int {
	switch {
	case o.priority != p.priority:
		return cmp.Compare(p.priority, o.priority)
	case o.deficit != p.deficit:
		return cmp.Compare(p.deficit, o.deficit)
	case o.fraction != p.fraction:
		return cmp.Compare(p.fraction, o.fraction)
	case o.jobIndex != p.jobIndex:
		return cmp.Compare(o.jobIndex, p.jobIndex)
	}
	return cmp.Compare(o.typePreference, p.typePreference)
}

// MayRunOnType reports whether the job may start, or run on, on GPUs of the type, and
// the cluster could hold it there.
func MayRunOnType(r *engine.Round, e *engine.Entry, typ string) bool {
	if want := e.Ask.GPUs.Type; want != typ && (want != "" || !slices.Contains(r.FreePool.WholeGPUTypes(), typ)) || !r.MayRun(e) {
		return false
	}
	if e.Training != nil && len(e.Training.Rates) > 0 {
		if rate, known := e.Training.Rate(typ); !known || rate <= 0 {
			return false
		}
	}
	if e.HoldsGPUs() && e.On.FirstType() == typ {
		return true
	}
	was := e.Grant
	e.Grant = engine.Grant{HasLease: true, GPUType: typ}
	ok := r.CheckEverFits(e) == nil && r.WindowError(e) == nil
	e.Grant = was
	return ok
}

// CountGPUsByType counts the healthy devices of nodes that are up; types are all there
// are.
func CountGPUsByType(r *engine.Round, types []string) []float64 {
	n := make([]float64, len(types))
	for _, c := range r.ListCapacities(nil) {
		n[slices.Index(types, c.GPUType)] = float64(c.Healthy)
	}
	return n
}
