package gate

import (
	"cmp"
	"math"
	"slices"

	"fairbridge/bridge"
	"fairbridge/bridge/invariant"
	"fairbridge/policy"
)

// Plan looks at a policy's plan against the snapshot it was made from.
// What would break an invariant or a budget becomes harmless: a stopped job is
// kept, a held or pinned one waits, and the order changes only as fast as it
// may. A plan that is malformed or turns everything over is replaced by one
// that changes nothing. Where the plan or what it rests on is doubtful, the
// output says so, and nothing of it may be sent. Plan is pure and changes none
// of its input.
func Plan(in PlanInput) PlanOutput {
	g := &planner{in: in}
	if in.Snapshot == nil || in.View == nil {
		g.doubt(in.staleOrBlind())
		return g.out
	}
	g.facts = newFacts(in.State)
	g.doubts()
	if n := malformed(in.Plan, in.Snapshot); n != nil {
		g.doubt(n)
		g.out.Plan = g.unchanged()
	} else {
		g.each()
	}
	sortRefusals(g.out.Refused)
	sortRefusals(g.out.Doubts)
	return g.out
}

type planner struct {
	facts
	in  PlanInput
	out PlanOutput

	postponed bool // stops were put off until a grace is over
}

func (g *planner) doubt(n *denial) {
	if n == nil {
		return
	}
	g.out.Doubts = append(g.out.Doubts, bridge.Refusal{Invariant: n.ID, Why: n.Why})
}

func (g *planner) refuse(job policy.JobID, n *denial) {
	g.out.Refused = append(g.out.Refused, bridge.Refusal{Job: job, Invariant: n.ID, Why: n.Why})
}

// doubts collects the reasons not to act on what is known.
func (g *planner) doubts() {
	g.doubt(g.staleOrBlind())
	if g.in.Modes[g.in.Partition].Allows(bridge.Rank) {
		g.doubt(g.unled())
	}
}

// each takes the decisions one by one: stops first, since they make room.
func (g *planner) each() {
	g.doubt(g.tooManyStops())
	p := *g.in.Plan
	p.Decisions = slices.Clone(p.Decisions)
	g.out.Plan = &p
	g.doubt(g.overturned())
	g.stops()
	for i := range p.Decisions {
		g.checkPending(&p.Decisions[i])
	}
	g.crowd()
	g.slowOrder()
}

// checkPending makes the decision about a pending job harmless where it must be.
func (g *planner) checkPending(d *policy.Decision) {
	if d.Verb != policy.Start && d.Verb != policy.Hold && d.Verb != policy.Resize {
		return
	}
	p := g.job(int64(d.Job))
	if p.Active() {
		return
	}
	if n := g.pendingBar(p, d); n != nil {
		g.refuse(d.Job, n)
		d.Verb, d.On = policy.Wait, nil
		d.Why = "waits in the queue: " + n.Why
	}
}

func (g *planner) pendingBar(p *policy.Job, d *policy.Decision) *denial {
	j := g.View.Job(int64(p.ID))
	if j == nil || !j.Pending() {
		return deny(invariant.FreshView, "the view does not show it pending")
	}
	if n := g.exempt(j); n != nil {
		return n
	}
	if d.Verb == policy.Hold {
		hold := g.claim(p, j)
		return hold.Leasable(g.at.Add(g.Config.LeaseMin))
	}
	if p.Held != "" {
		return deny(invariant.ExemptJobs, "it cannot start: %s", p.Held)
	}
	if p.Stuck != "" {
		return deny(invariant.StopPurpose, "%s", p.Stuck)
	}
	if n := g.startable(p, d.On); n != nil {
		return n
	}
	return g.inTime(p, d.On, g.at)
}

// startable says why a job cannot start on the devices (I12).
func (f *facts) startable(p *policy.Job, on policy.Alloc) *denial {
	for _, slot := range on {
		n := f.Snapshot.Node(slot.Node)
		switch {
		case n == nil:
			return deny(invariant.NodeLists, "node %s does not exist", slot.Node)
		case n.Down != "":
			return deny(invariant.NodeLists, "nothing can start on node %s: %s", n.Name, n.Down)
		case !n.In(p.Partition):
			return deny(invariant.NodeLists, "node %s is not in partition %s", n.Name, p.Partition)
		case slices.Contains(p.Ask.Exclude, n.Name):
			return deny(invariant.NodeLists, "its owner refuses node %s", n.Name)
		case healthy(n, slot.Type) < slot.Count:
			return deny(invariant.NodeLists, "node %s has %d healthy %q devices, not %d", n.Name, healthy(n, slot.Type), slot.Type, slot.Count)
		}
	}
	nodes := on.Nodes()
	for _, must := range p.Ask.Require {
		if len(on) > 0 && !slices.Contains(nodes, must) {
			return deny(invariant.NodeLists, "its owner insists on node %s", must)
		}
	}
	return nil
}

func healthy(n *policy.Node, kind string) int {
	c := 0
	for _, d := range n.GPUs {
		if d.Type == kind {
			c += d.Count - d.Sick
		}
	}
	return c
}

// unchanged is the plan that asks for nothing: the last accepted order, no job
// stopped, none held.
func (g *planner) unchanged() *policy.Plan {
	p := &policy.Plan{Basis: g.Snapshot.Seq}
	if g.in.Plan != nil {
		p.Policy = g.in.Plan.Policy
	}
	rank := ranks(g.in.Accepted)
	order := make([]policy.JobID, 0, len(g.Snapshot.Jobs))
	for i := range g.Snapshot.Jobs {
		j := &g.Snapshot.Jobs[i]
		order = append(order, j.ID)
		d := policy.Decision{Job: j.ID, Verb: policy.Wait, Why: "the plan was refused: nothing changes"}
		if j.Active() {
			d.Verb, d.On, d.GPUs = policy.Keep, j.On, j.On.Count()
		}
		p.Decisions = append(p.Decisions, d)
	}
	at := func(id policy.JobID) int {
		if r, ok := rank[id]; ok {
			return r
		}
		return math.MaxInt
	}
	slices.SortFunc(order, func(a, b policy.JobID) int { return cmp.Or(cmp.Compare(at(a), at(b)), cmp.Compare(a, b)) })
	for i, id := range order {
		p.Decisions[g.jobs[int64(id)]].Rank = i + 1
	}
	return p
}

func sortRefusals(rs []bridge.Refusal) {
	slices.SortFunc(rs, func(a, b bridge.Refusal) int {
		return cmp.Or(cmp.Compare(a.Job, b.Job), cmp.Compare(a.Invariant, b.Invariant), cmp.Compare(a.Why, b.Why))
	})
}
