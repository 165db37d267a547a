package chaos

import (
	"errors"
	"slices"

	"fairbridge/policy"
)

// spoiler is the seed's policy, which events make fail.
type spoiler struct {
	t    *trial
	good policy.Policy
}

func newSpoiler(t *trial) (*spoiler, error) {
	good, err := t.decider()
	return &spoiler{t, good}, err
}

// Decide implements policy.Policy.
func (s *spoiler) Decide(snap *policy.Snapshot) (*policy.Plan, error) {
	is := func(k Kind) bool { return s.t.weather.is(k, s.t.cycle) }
	switch {
	case is(Panic):
		panic("a policy that panics")
	case is(Error):
		return nil, errors.New("a policy that fails")
	}
	plan, err := s.good.Decide(snap)
	if err != nil {
		return nil, err
	}
	switch {
	case is(Wrong) && len(plan.Decisions) > 0:
		plan.Decisions = plan.Decisions[1:]
	case is(Flap) && s.t.cycle%2 == 0:
		s.flap(plan)
	case is(Wild):
		s.wild(snap, plan)
	}
	return plan, nil
}

// flap turns the order over.
func (s *spoiler) flap(plan *policy.Plan) {
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

// wild stops everything that runs for the first that waits, and holds the rest.
func (s *spoiler) wild(snap *policy.Snapshot, plan *policy.Plan) {
	first, rank := policy.JobID(0), 0
	for i := range plan.Decisions {
		if d, j := &plan.Decisions[i], &snap.Jobs[i]; !j.Active() && (first == 0 || d.Rank < rank) {
			first, rank = d.Job, d.Rank
		}
	}
	for i := range plan.Decisions {
		d, j := &plan.Decisions[i], &snap.Jobs[i]
		switch {
		case first == 0 || d.Job == first:
		case j.Active():
			d.Verb, d.On, d.GPUs, d.For, d.Why = policy.Stop, nil, 0, first, "a wild policy"
		case d.Verb != policy.Hold:
			d.Verb, d.On, d.GPUs, d.For, d.Why = policy.Hold, nil, 0, 0, "a wild policy"
		}
	}
}
