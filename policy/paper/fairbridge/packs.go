package fairbridge

import (
	"math"

	"fairbridge/policy"
	"fairbridge/policy/colocate"
	"fairbridge/policy/engine"
	"fairbridge/policy/grant"
)

// byService is the value of paper.ShortestByParam by which GPU time counts.
const byService = "service"

// assumedLeft is how long a job is taken to run on of which nothing is known, in seconds, and leastLeft
// the shortest time that counts.
const (
	assumedLeft = 3600
	leastLeft   = 60
)

// packAllocator lets jobs share GPUs whose owners accept that and of which it is known that both gain. The line
// decides who holds a lease as if no job shared any: each of those runs. What room their packs leave goes to
// those whose work is worth the most: that of a job that needs a second more to be done, in each second, one over
// that; and of an account by as much more as its class of use is lower.
type packAllocator struct{ line *slackOrder }

// anyPair reports whether two jobs accept neighbours and tell how they do beside them.
func anyPair(s *policy.Snapshot) bool {
	n := 0
	for i := range s.Jobs {
		if colocate.IsProfiled(&s.Jobs[i]) {
			n++
		}
	}
	return n > 1
}

// Allocate implements engine.Allocator.
func (a *packAllocator) Allocate(r *engine.Round) ([]engine.Assignment, error) {
	line, err := a.line.Order(r)
	if err != nil {
		return nil, err
	}
	grants, err := grant.Fastest{}.Lease(r, line)
	if err != nil {
		return nil, err
	}
	hasLease := make([]bool, len(r.Entries))
	for i, e := range line {
		hasLease[e.Index] = grants[i].HasLease
	}
	terms := colocate.Terms{Jobs: a.line.Jobs, LeastSpeed: a.line.LeastSpeed, Regroups: a.line.Regroup && colocate.MayRegroup(r)}
	units := colocate.ListUnits(r, line, terms.Regroups, func(e *engine.Entry) bool { return e.IsUnstoppable || grant.CompetesForLease(r, e) })
	for _, u := range units {
		for _, e := range u.Jobs {
			u.HasLease = u.HasLease || hasLease[e.Index]
		}
	}
	c := colocate.Chooser{Terms: terms, Round: r, WorthOf: a.worthOf(r), LeftOf: a.leftOf(r), Budget: grant.CountGrantableDevices(r)}
	var packs [][]*engine.Entry
	for _, p := range c.Choose(units) {
		packs = append(packs, p.Jobs())
	}
	if terms.Regroups {
		return colocate.AssignAnew(r, line, packs), nil
	}
	assignments := colocate.HostsOf(r, packs).Assign(line)
	for i := range assignments {
		if t := &assignments[i]; t.Grant.HasLease {
			t.Grant.GPUType = grants[i].GPUType
		}
	}
	return assignments, nil
}

// worthOf says what a job's work in a second alone is worth.
func (a *packAllocator) worthOf(r *engine.Round) func(*engine.Entry) float64 {
	leftOf := a.leftOf(r)
	return func(e *engine.Entry) float64 {
		return math.Pow(shareClassFactor, -float64(a.line.shareClass(e.Account))) / leftOf(e)
	}
}

// leftOf says in how many seconds a job is done alone.
func (a *packAllocator) leftOf(r *engine.Round) func(*engine.Entry) float64 {
	return func(e *engine.Entry) float64 {
		left := a.line.secondsLeft(r, e)
		if left <= 0 {
			left = max(assumedLeft, e.Ran(r.Now).Seconds())
		}
		return max(left, leastLeft)
	}
}
