package hived

import (
	"slices"

	"fairbridge/policy"
	"fairbridge/policy/engine"
)

// line is the running jobs, then those with cells of their own, then opportunistic ones.
func (h *allocator) line() []*engine.Entry {
	line := slices.Clone(h.Entries)
	rank := func(e *engine.Entry) int {
		switch {
		case e.HoldsGPUs():
			return 0
		case h.verdicts[e.Index].isGuaranteed:
			return 1
		}
		return 2
	}
	slices.SortFunc(line, func(a, b *engine.Entry) int {
		if c := rank(a) - rank(b); c != 0 {
			return c
		}
		return engine.CompareArrival(a, b)
	})
	return line
}

// hasCells reports whether the job uses cells of its account, as far as those could hold it.
func (h *allocator) hasCells(e *engine.Entry) bool {
	return !e.IsOpportunistic() && slices.ContainsFunc(h.quotas, func(q quota) bool { return q.account == e.Account })
}

// mayLeave reports whether a job can be made to leave, now or later.
func (h *allocator) mayLeave(e *engine.Entry) bool {
	return e.UnstoppableReason == "" && e.State != policy.Suspended && (h.MaxStops <= 0 || e.StopCount < h.MaxStops)
}
