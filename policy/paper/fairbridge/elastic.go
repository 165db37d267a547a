package fairbridge

import (
	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/grant"
	"fairbridge/policy/sizing"
)

// elasticAllocator chooses sizes and GPU types where jobs offer a range and tell how fast they go on
// other sizes. The line decides who holds a lease as if every job had what it asks; rigid jobs with a
// lease have it. What is left is shared so that the sum of the times until each job is done falls
// fastest: solve/flowtime says what the work of each is worth for that, and every place is worth to a job as
// much of it as is done there.
type elasticAllocator struct {
	line   *slackOrder
	leases []bool         // of rigid jobs, by Entry.Index
	works  []*elasticWork // by Entry.Index; see ChooseTypes
}

// isSized reports whether the job's size is to be chosen.
func isSized(e *engine.Entry) bool {
	return e.IsElastic() && e.KnowsScaling()
}

// anySized reports whether some job's size is to be chosen.
func anySized(s *policy.Snapshot) bool {
	for i := range s.Jobs {
		if j := &s.Jobs[i]; j.MinGPUs > 0 && isSized(&engine.Entry{Job: j}) {
			return true
		}
	}
	return false
}

// Allocate implements engine.Allocator.
func (a *elasticAllocator) Allocate(r *engine.Round) ([]engine.Assignment, error) {
	for _, e := range r.Entries {
		if isSized(e) {
			e.WantedDeviceCount = e.Ask.GPUs.Count
		}
	}
	line, err := a.line.Order(r)
	if err != nil {
		return nil, err
	}
	grants, err := grant.Fastest{}.Lease(r, line)
	if err != nil {
		return nil, err
	}
	assignments := make([]engine.Assignment, len(r.Entries))
	a.leases = make([]bool, len(r.Entries))
	for i, e := range line {
		t := e.AssignmentWithoutLease()
		if t.Grant = grants[i]; isSized(e) {
			t = sizing.LeastWithoutLease(e)
			t.Grant.HasLease = e.IsUnstoppable
		} else {
			a.leases[e.Index] = grants[i].HasLease
		}
		assignments[e.Index] = t
	}
	sizing.Share(r, assignments, a.takesPart, a)
	for i, e := range line {
		if a.leases[e.Index] && !e.HoldsGPUs() { // one that found no place may still have others give way
			assignments[e.Index].Grant = grants[i]
		}
	}
	ordered := make([]engine.Assignment, len(line))
	for i, e := range line {
		ordered[i] = assignments[e.Index]
	}
	return ordered, nil
}

// takesPart: jobs of one size that run stay as they are. They give way to those with a lease, as where no size is
// chosen, and not to what another size is worth.
func (a *elasticAllocator) takesPart(e *engine.Entry) bool {
	return isSized(e) || !e.HoldsGPUs() && e.DeviceCount() > 0 && e.Ask.GPUs.PartPercent == 0
}
