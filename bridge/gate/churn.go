package gate

import (
	"cmp"
	"math/bits"
	"slices"

	"fairbridge/bridge/invariant"
	"fairbridge/policy"
)

// rankByJob returns the rank of each job of a plan, nil for no plan.
func rankByJob(p *policy.Plan) map[policy.JobID]int {
	if p == nil {
		return nil
	}
	r := make(map[policy.JobID]int, len(p.Decisions))
	for i := range p.Decisions {
		r[p.Decisions[i].Job] = p.Decisions[i].Rank
	}
	return r
}

// bandOfPosition numbers the bands of the order, which double in width from the head:
// places 0, 1–2, 3–6, …
func bandOfPosition(place int) int { return bits.Len(uint(place + 1)) }

// pendingOrder returns the pending jobs of the plan in rank order.
func (g *planGate) pendingOrder(p *policy.Plan) []policy.JobID {
	var ds []*policy.Decision // sorted by reference: decisions are large
	for i := range p.Decisions {
		if j := g.snapshotJob(int64(p.Decisions[i].Job)); j != nil && !j.HoldsGPUs() {
			ds = append(ds, &p.Decisions[i])
		}
	}
	slices.SortFunc(ds, func(a, b *policy.Decision) int { return cmp.Compare(a.Rank, b.Rank) })
	ids := make([]policy.JobID, len(ds))
	for i, d := range ds {
		ids[i] = d.Job
	}
	return ids
}

// ordersOfCommonJobs returns those of the line that are in both plans' orders, in the order
// of each.
func ordersOfCommonJobs(now []policy.JobID, old map[policy.JobID]int) (wanted, was []policy.JobID) {
	for _, id := range now {
		if _, ok := old[id]; ok {
			wanted = append(wanted, id)
		}
	}
	was = slices.Clone(wanted)
	slices.SortFunc(was, func(a, b policy.JobID) int { return cmp.Or(cmp.Compare(old[a], old[b]), cmp.Compare(a, b)) })
	return wanted, was
}

func positionByJob(line []policy.JobID) map[policy.JobID]int {
	at := make(map[policy.JobID]int, len(line))
	for i, id := range line {
		at[id] = i
	}
	return at
}

// countBandChanges counts the jobs whose band differs between two orders of the same jobs.
func countBandChanges(a, b []policy.JobID) int {
	at, n := positionByJob(a), 0
	for i, id := range b {
		n += oneIf(bandOfPosition(i) != bandOfPosition(at[id]))
	}
	return n
}

// checkPlanChurn doubts a plan whose order has little to do with the policy's plan
// before (I11).
func (g *planGate) checkPlanChurn() *denial {
	wanted, was := ordersOfCommonJobs(g.pendingOrder(g.output.Plan), rankByJob(g.input.LastPolicyPlan))
	n, c := countBandChanges(wanted, was), &g.Budgets
	if n > c.ChurnFloor && float64(n)*100 > c.PlanChurnPercent*float64(len(was)) {
		return deny(invariant.SlowReordering, "%d of %d waiting jobs would change band, over %g%%", n, len(was), c.PlanChurnPercent)
	}
	return nil
}

// limitReordering lets the order of the last accepted plan turn into the wanted one
// only so far, from the head on, exchanging two jobs at a time. Jobs new to the
// line stand where the plan wants them.
func (g *planGate) limitReordering() {
	line := g.pendingOrder(g.output.Plan)
	wanted, now := ordersOfCommonJobs(line, rankByJob(g.input.LastSentPlan))
	allowed := max(g.Budgets.ChurnFloor, int(g.Budgets.ChurnPercent*float64(len(wanted))/100))
	if countBandChanges(wanted, now) <= allowed {
		return
	}
	swapTowards(now, wanted, allowed)
	g.assignRanks(line, wanted, now)
}

// swapTowards exchanges jobs of now towards wanted until one more would make more
// than allowed jobs change band.
func swapTowards(now, wanted []policy.JobID, allowed int) {
	began, at, moved := positionByJob(now), positionByJob(now), 0
	out := func(id policy.JobID, place int) int { return oneIf(bandOfPosition(place) != bandOfPosition(began[id])) }
	for p, id := range wanted {
		q, other := at[id], now[p]
		after := moved - out(id, q) - out(other, p) + out(id, p) + out(other, q)
		if q == p || after > allowed {
			continue
		}
		now[p], now[q] = id, other
		at[id], at[other] = p, q
		moved = after
	}
}

// assignRanks gives the places that the plan gives to known jobs to them in the
// order let through.
func (g *planGate) assignRanks(line, wanted, now []policy.JobID) {
	slot, place := make(map[policy.JobID]int, len(line)), positionByJob(wanted)
	for _, id := range line {
		slot[id] = g.decisionForJob(id).Rank
	}
	for i, id := range now {
		r := slot[wanted[i]]
		d := g.decisionForJob(id)
		if bandOfPosition(i) != bandOfPosition(place[id]) {
			g.addRefusal(id, deny(invariant.SlowReordering, "its rank is %d for now instead of %d: the order changes slowly", r, d.Rank))
		}
		d.Rank = r
	}
}
