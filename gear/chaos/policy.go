package chaos

import (
	"errors"
	"slices"
	"sync/atomic"

	"fairbridge/gear/chaos/event"
	"fairbridge/gear/chaos/site"
	"fairbridge/policy"
	"fairbridge/policy/catalogue"
)

// failingPolicy is the seed's policy, which events make fail. A call that was given up
// may still run when the next cycle begins, so it asks nothing of the trial.
type failingPolicy struct {
	inner  policy.Policy
	faults atomic.Pointer[policyFaults]
}

// policyFaults is what is wrong with the policy in a cycle.
type policyFaults struct{ panics, fails, dropsDecision, reversesOrder, stopsEverything bool }

func newFailingPolicy(t *trial) (*failingPolicy, error) {
	good, err := newPolicy(t.Site)
	s := &failingPolicy{inner: good}
	s.setFaults(t)
	return s, err
}

// setFaults takes over what is wrong in this cycle of the trial.
func (s *failingPolicy) setFaults(t *trial) {
	is := func(k event.Kind) bool { return t.faults.isActive(k, t.cycle) }
	s.faults.Store(&policyFaults{panics: is(event.PolicyPanics), fails: is(event.PolicyFails), dropsDecision: is(event.PolicyDropsDecision), reversesOrder: is(event.PolicyReversesOrder) && t.cycle%2 == 0, stopsEverything: is(event.PolicyStopsEverything)})
}

// Decide implements policy.Policy.
func (s *failingPolicy) Decide(snap *policy.Snapshot) (*policy.Plan, error) {
	is := s.faults.Load()
	switch {
	case is.panics:
		panic("a policy that panics")
	case is.fails:
		return nil, errors.New("a policy that fails")
	}
	plan, err := s.inner.Decide(snap)
	if err != nil {
		return nil, err
	}
	switch {
	case is.dropsDecision && len(plan.Decisions) > 0:
		plan.Decisions = plan.Decisions[1:]
	case is.reversesOrder:
		s.reverseOrder(plan)
	case is.stopsEverything:
		s.stopEverything(snap, plan)
	}
	return plan, nil
}

// reverseOrder turns the order over.
func (s *failingPolicy) reverseOrder(plan *policy.Plan) {
	ranks := make([]int, len(plan.Decisions))
	for i := range plan.Decisions {
		ranks[i] = plan.Decisions[i].Rank
	}
	sorted := slices.Sorted(slices.Values(ranks))
	for i := range plan.Decisions {
		at, _ := slices.BinarySearch(sorted, plan.Decisions[i].Rank)
		plan.Decisions[i].Rank = sorted[len(sorted)-1-at]
	}
}

// stopEverything stops everything that runs for the first that waits, and holds the rest.
func (s *failingPolicy) stopEverything(snap *policy.Snapshot, plan *policy.Plan) {
	first, rank := policy.JobID(0), 0
	for i := range plan.Decisions {
		if d, j := &plan.Decisions[i], &snap.Jobs[i]; !j.HoldsGPUs() && (first == 0 || d.Rank < rank) {
			first, rank = d.Job, d.Rank
		}
	}
	for i := range plan.Decisions {
		d, j := &plan.Decisions[i], &snap.Jobs[i]
		switch {
		case first == 0 || d.Job == first:
		case j.HoldsGPUs():
			d.Verb, d.On, d.GPUs, d.StoppedFor, d.Why = policy.Stop, nil, 0, first, "a wild policy"
		case d.Verb != policy.Hold:
			d.Verb, d.On, d.GPUs, d.StoppedFor, d.Why = policy.Hold, nil, 0, 0, "a wild policy"
		}
	}
}

// newPolicy makes the site's policy.
func newPolicy(s site.Site) (policy.Policy, error) {
	entry, err := catalogue.FindSystem(s.PolicyName)
	if err != nil {
		return nil, err
	}
	p, err := entry.New(nil)
	if err == nil && s.SharesEagerly {
		p = eagerSharing{p}
	}
	return p, err
}

// eagerSharing starts each job that waits beside any that runs and whose owner accepts it, by the snapshot, before the policy's own
// starts: so more jobs share GPUs than policies want. It decides by the snapshot alone.
type eagerSharing struct{ inner policy.Policy }

// Decide implements policy.Policy.
func (w eagerSharing) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	plan, err := w.inner.Decide(s)
	if err != nil {
		return nil, err
	}
	joined := map[policy.JobID]bool{}
	for i := range plan.Decisions {
		d, j := &plan.Decisions[i], &s.Jobs[i]
		h := findHost(s, plan, j, joined)
		if d.Verb != policy.Wait && (d.Verb != policy.Start || d.Beside != 0) || h == nil {
			continue
		}
		joined[h.ID] = true
		d.Verb, d.On, d.GPUs, d.Beside, d.Why = policy.Start, slices.Clone(h.On), 1, h.ID, "shares eagerly"
	}
	return plan, nil
}

// findHost returns a running job that keeps its one GPU, has it alone, and whose owner accepts the job that waits; nil: none.
func findHost(s *policy.Snapshot, plan *policy.Plan, j *policy.Job, joined map[policy.JobID]bool) *policy.Job {
	if j.HoldsGPUs() || !j.CanStart(s.Now) || j.Ask.GPUs.Count != 1 || j.MinGPUs > 1 || len(j.Ask.RequiredNodes) > 0 {
		return nil
	}
	for i := range s.Jobs {
		h := &s.Jobs[i]
		if h.State != policy.Running || len(h.On) != 1 || h.On[0].Count != 1 || plan.Decisions[i].Verb != policy.Keep || joined[h.ID] || !j.AcceptsNeighbour(h) {
			continue
		}
		n := s.Node(h.On[0].Node)
		isFor := n != nil && n.DownReason == "" && !slices.Contains(j.Ask.ExcludedNodes, n.Name) && (j.Ask.GPUs.Type == "" || j.Ask.GPUs.Type == h.On[0].Type)
		if isFor && !slices.ContainsFunc(plan.Decisions, func(d policy.Decision) bool { return d.Job != h.ID && sharesDevice(d.On, h.On) }) {
			return h
		}
	}
	return nil
}

// sharesDevice reports whether two places have a device in common, as far as devices are named.
func sharesDevice(a, b policy.Alloc) bool {
	return slices.ContainsFunc(a, func(x policy.Slot) bool {
		return slices.ContainsFunc(b, func(y policy.Slot) bool { return x.Node == y.Node && x.Type == y.Type && x.Devices&y.Devices != 0 })
	})
}
