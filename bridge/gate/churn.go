package gate

import (
	"cmp"
	"math/bits"
	"slices"

	"fairbridge/bridge/invariant"
	"fairbridge/policy"
)

// ranks returns the rank of each job of a plan, nil for no plan.
func ranks(p *policy.Plan) map[policy.JobID]int {
	if p == nil {
		return nil
	}
	r := make(map[policy.JobID]int, len(p.Decisions))
	for i := range p.Decisions {
		r[p.Decisions[i].Job] = p.Decisions[i].Rank
	}
	return r
}

// orderBand numbers the bands of the order, which double in width from the head:
// places 0, 1–2, 3–6, …
func orderBand(place int) int { return bits.Len(uint(place + 1)) }

// line returns the pending jobs of the plan in rank order.
func (g *planner) line(p *policy.Plan) []policy.JobID {
	var ds []policy.Decision
	for i := range p.Decisions {
		if j := g.job(int64(p.Decisions[i].Job)); j != nil && !j.Active() {
			ds = append(ds, p.Decisions[i])
		}
	}
	slices.SortFunc(ds, func(a, b policy.Decision) int { return cmp.Compare(a.Rank, b.Rank) })
	ids := make([]policy.JobID, len(ds))
	for i, d := range ds {
		ids[i] = d.Job
	}
	return ids
}

// common returns those of the line that are in both plans' orders, in the order
// of each.
func common(now []policy.JobID, old map[policy.JobID]int) (wanted, was []policy.JobID) {
	for _, id := range now {
		if _, ok := old[id]; ok {
			wanted = append(wanted, id)
		}
	}
	was = slices.Clone(wanted)
	slices.SortFunc(was, func(a, b policy.JobID) int { return cmp.Or(cmp.Compare(old[a], old[b]), cmp.Compare(a, b)) })
	return wanted, was
}

func places(line []policy.JobID) map[policy.JobID]int {
	at := make(map[policy.JobID]int, len(line))
	for i, id := range line {
		at[id] = i
	}
	return at
}

// churn counts the jobs whose band differs between two orders of the same jobs.
func churn(a, b []policy.JobID) int {
	at, n := places(a), 0
	for i, id := range b {
		n += one(orderBand(i) != orderBand(at[id]))
	}
	return n
}

// overturned doubts a plan whose order has little to do with the policy's plan
// before (I11).
func (g *planner) overturned() *denial {
	wanted, was := common(g.line(g.out.Plan), ranks(g.in.Last))
	n, c := churn(wanted, was), &g.Config
	if n > c.ChurnFloor && float64(n)*100 > c.PlanChurnPercent*float64(len(was)) {
		return deny(invariant.SlowOrder, "%d of %d waiting jobs would change band, over %g%%", n, len(was), c.PlanChurnPercent)
	}
	return nil
}

// slowOrder lets the order of the last accepted plan turn into the wanted one
// only so far, from the head on, exchanging two jobs at a time. Jobs new to the
// line stand where the plan wants them.
func (g *planner) slowOrder() {
	line := g.line(g.out.Plan)
	wanted, now := common(line, ranks(g.in.Accepted))
	allowed := max(g.Config.ChurnFloor, int(g.Config.ChurnPercent*float64(len(wanted))/100))
	if churn(wanted, now) <= allowed {
		return
	}
	approach(now, wanted, allowed)
	g.reorder(line, wanted, now)
}

// approach exchanges jobs of now towards wanted until one more would make more
// than allowed jobs change band.
func approach(now, wanted []policy.JobID, allowed int) {
	began, at, moved := places(now), places(now), 0
	out := func(id policy.JobID, place int) int { return one(orderBand(place) != orderBand(began[id])) }
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

// reorder gives the places that the plan gives to known jobs to them in the
// order let through.
func (g *planner) reorder(line, wanted, now []policy.JobID) {
	slot, place := make(map[policy.JobID]int, len(line)), places(wanted)
	for _, id := range line {
		slot[id] = g.decision(id).Rank
	}
	for i, id := range now {
		r := slot[wanted[i]]
		d := g.decision(id)
		if orderBand(i) != orderBand(place[id]) {
			g.refuse(id, deny(invariant.SlowOrder, "its rank is %d for now instead of %d: the order changes slowly", r, d.Rank))
		}
		d.Rank = r
	}
}
