package engine

import (
	"fmt"
)

// Grant is a lease for the coming round.
type Grant struct {
	HasLease bool
	GPUType  string // GPU type it should run on, for a job that takes any; "": whatever there is
	// StopReason stops a job that runs, as soon as the Rules let it be stopped, whichever
	// job wants its GPUs; it is the reason, for its owner to read.
	StopReason string
	// MayRunWithoutLease lets a job that runs go on without a lease of its own: it shares the GPUs
	// of one that has a lease.
	MayRunWithoutLease bool
}

// A Leaser says which jobs should run in the coming round, in line order.
// Those it does not grant a lease run on, or start, only where GPUs would
// otherwise idle; running ones give way to granted ones once the Rules let
// them. The devices of an Entry that IsUnstoppable are not there to be granted.
type Leaser interface {
	Lease(r *Round, line []*Entry) ([]Grant, error)
}

// askLeaser asks the Leaser and returns the line as it is then walked.
func (p *Pipeline) askLeaser(r *Round, line []*Entry) ([]*Entry, error) {
	if p.Lease == nil {
		return line, nil
	}
	for _, e := range line {
		e.IsUnstoppable = e.HoldsGPUs() && !r.isStoppable(p.Rules, e)
	}
	grants, err := p.Lease.Lease(r, line)
	if err != nil {
		return nil, err
	}
	if len(grants) != len(line) {
		return nil, fmt.Errorf("%d grants for %d jobs", len(grants), len(line))
	}
	for i, e := range line {
		r.setGrant(e, grants[i])
	}
	return p.moveLeasedFirst(r, line), nil
}

// setGrant notes the lease of the entry.
func (r *Round) setGrant(e *Entry, g Grant) {
	e.Grant = g
	if g.GPUType != "" && r.CheckEverFits(e) != nil {
		e.Grant.GPUType = "" // of a type it may never have: another partition's, say
	}
}

// usesLeases reports whether jobs with a lease displace those without one. Beside an
// Allocator a Preempter decides in their place.
func (p *Pipeline) usesLeases() bool { return p.Lease != nil || p.Allocate != nil && p.Preempt == nil }

// moveLeasedFirst puts those that hold a lease before the others, and among them those
// that a place is reserved for. What runs without a lease runs on before another
// starts without one.
func (p *Pipeline) moveLeasedFirst(r *Round, line []*Entry) []*Entry {
	if !p.usesLeases() {
		return line
	}
	first := make([]bool, len(r.Entries))
	for _, e := range line {
		first[e.Index] = e.Grant.HasLease || !e.HoldsGPUs() && p.reservesSelectivelyFor(r, e)
	}
	sorted := make([]*Entry, 0, len(line))
	sorted = appendMatching(sorted, line, func(e *Entry) bool { return first[e.Index] })
	sorted = appendMatching(sorted, line, func(e *Entry) bool { return !first[e.Index] && e.HoldsGPUs() })
	return appendMatching(sorted, line, func(e *Entry) bool { return !first[e.Index] && !e.HoldsGPUs() })
}

// reservesSelectivelyFor reports whether the Backfiller reserves for the entry should it be
// blocked, and not for every entry.
func (p *Pipeline) reservesSelectivelyFor(r *Round, e *Entry) bool {
	b, some := p.Backfill.(Reserver)
	return some && b.Reserves(r, e)
}

// appendMatching appends those of the line that the condition holds for.
func appendMatching(to, line []*Entry, is func(*Entry) bool) []*Entry {
	for _, e := range line {
		if is(e) {
			to = append(to, e)
		}
	}
	return to
}
