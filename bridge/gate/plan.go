package gate

import (
	"cmp"
	"math"
	"slices"

	"fairbridge/bridge"
	"fairbridge/bridge/actuator/replicas"
	"fairbridge/bridge/actuator/sharing"
	"fairbridge/bridge/invariant"
	"fairbridge/policy"
)

// FilterPlan looks at a policy's plan against the snapshot it was made from.
// What would break an invariant or a budget becomes harmless: a stopped job is
// kept, a held or pinned one waits, and the order changes only as fast as it
// may. A plan that is malformed or turns everything over is replaced by one
// that changes nothing. Where the plan or what it rests on is doubtful, the
// output says so, and nothing of it may be sent. Plan is pure and changes none
// of its input.
func FilterPlan(in PlanInput) PlanOutput {
	g := &planGate{input: in}
	if in.Snapshot == nil || in.View == nil {
		g.addDoubt(in.checkViewUsable())
		return g.output
	}
	g.facts = newFacts(in.CommonInput)
	g.checkPlan()
	if n := checkPlanForm(in.Plan, in.Snapshot); n != nil {
		g.addDoubt(n)
		g.output.Plan = g.newHarmlessPlan()
	} else {
		g.filterDecisions()
	}
	sortRefusals(g.output.Refusals)
	sortRefusals(g.output.Doubts)
	return g.output
}

type planGate struct {
	facts
	input  PlanInput
	output PlanOutput

	shareByJob        map[policy.JobID]sharing.Assignment // the jobs that start on shards, or were to and cannot
	hasPostponedStops bool                                // stops were put off until a grace is over
}

func (g *planGate) addDoubt(n *denial) {
	if n == nil {
		return
	}
	g.output.Doubts = append(g.output.Doubts, bridge.Refusal{Invariant: n.ID, Why: n.Why})
}

func (g *planGate) addRefusal(job policy.JobID, n *denial) {
	g.output.Refusals = append(g.output.Refusals, bridge.Refusal{Job: job, Invariant: n.ID, Why: n.Why})
}

// checkPlan collects the reasons not to act on what is known.
func (g *planGate) checkPlan() {
	g.addDoubt(g.checkViewUsable())
	if g.input.ModeByPartition[g.input.Partition].Allows(bridge.ModeRank) {
		g.addDoubt(g.checkLeadershipLasts())
	}
}

// filterDecisions takes the decisions one by one: stops first, since they make room.
func (g *planGate) filterDecisions() {
	p := *g.input.Plan
	p.Decisions = slices.Clone(p.Decisions)
	g.output.Plan = &p
	g.addDoubt(g.checkPlanChurn())
	g.filterStops()
	g.shareByJob = sharing.Assign(&p, g.Snapshot, g.View)
	for i := range p.Decisions {
		g.filterPendingDecision(&p.Decisions[i])
	}
	g.delayStartsWithoutRoom()
	g.limitReordering()
}

// filterPendingDecision makes the decision about a pending job harmless where it must be.
func (g *planGate) filterPendingDecision(d *policy.Decision) {
	if d.Verb != policy.Start && d.Verb != policy.Hold && d.Verb != policy.Resize {
		return
	}
	p := g.snapshotJob(int64(d.Job))
	if p.HoldsGPUs() {
		return
	}
	n := g.checkPendingDecision(p, d)
	if n == nil && g.shareByJob[d.Job].HasNeighbours && !g.View.IsFullRead { // it gets no shards by this view
		g.output.NeedsFullRead = true
	}
	if n != nil {
		g.addRefusal(d.Job, n)
		d.Verb, d.On = policy.Wait, nil
		d.Why = "waits in the queue: " + n.Why
	}
}

func (g *planGate) checkPendingDecision(p *policy.Job, d *policy.Decision) *denial {
	j := g.View.Job(int64(p.ID))
	if j == nil || !j.IsPending() {
		return deny(invariant.FreshView, "the view does not show it pending")
	}
	if n := g.checkNotExempt(j); n != nil {
		return n
	}
	if d.Verb == policy.Hold {
		hold := g.newEditContext(p, j)
		return cmp.Or(hold.CheckDelay(g.clusterTime.Add(g.Budgets.LeaseMin)), replicas.CheckHold(g.Snapshot, p, g.output.Plan))
	}
	if p.HeldReason != "" {
		return deny(invariant.ExemptJobs, "it cannot start: %s", p.HeldReason)
	}
	if p.StuckReason != "" {
		return deny(invariant.StopPurpose, "%s", p.StuckReason)
	}
	if n := g.checkCanStart(p, d.On); n != nil {
		return n
	}
	if len(d.BatchShares) > 0 {
		return deny(invariant.NodeLists, "it would run on GPUs of several types (%v), which one job of Slurm cannot ask for", d.On)
	}
	if sharing.IsBeside(d, g.output.Plan, g.Snapshot) {
		if n := g.checkShare(p, j); n != nil {
			return n
		}
	}
	if changesSize(p, d) {
		if n := g.checkSize(p, d); n != nil {
			return n
		}
	}
	return g.checkEndsBeforeReservation(p, d.On, g.clusterTime)
}

// checkCanStart says why a job cannot start on the devices (I12).
func (f *facts) checkCanStart(p *policy.Job, on policy.Alloc) *denial {
	for _, slot := range on {
		n := f.Snapshot.Node(slot.Node)
		switch {
		case n == nil:
			return deny(invariant.NodeLists, "node %s does not exist", slot.Node)
		case n.DownReason != "":
			return deny(invariant.NodeLists, "nothing can start on node %s: %s", n.Name, n.DownReason)
		case !n.InPartition(p.Partition):
			return deny(invariant.NodeLists, "node %s is not in partition %s", n.Name, p.Partition)
		case slices.Contains(p.Ask.ExcludedNodes, n.Name):
			return deny(invariant.NodeLists, "its owner refuses node %s", n.Name)
		case countHealthyOfType(n, slot.Type) < slot.Count:
			return deny(invariant.NodeLists, "node %s has %d healthy %q devices, not %d", n.Name, countHealthyOfType(n, slot.Type), slot.Type, slot.Count)
		}
	}
	nodes := on.Nodes()
	for _, must := range p.Ask.RequiredNodes {
		if len(on) > 0 && !slices.Contains(nodes, must) {
			return deny(invariant.NodeLists, "its owner insists on node %s", must)
		}
	}
	return nil
}

// newHarmlessPlan returns the plan that asks for nothing: the last accepted order, no job
// stopped, none held.
func (g *planGate) newHarmlessPlan() *policy.Plan {
	p := &policy.Plan{SnapshotSeq: g.Snapshot.Seq}
	if g.input.Plan != nil {
		p.Policy = g.input.Plan.Policy
	}
	rank := rankByJob(g.input.LastSentPlan)
	order := make([]policy.JobID, 0, len(g.Snapshot.Jobs))
	for i := range g.Snapshot.Jobs {
		j := &g.Snapshot.Jobs[i]
		order = append(order, j.ID)
		d := policy.Decision{Job: j.ID, Verb: policy.Wait, Why: "the plan was refused: nothing changes"}
		if j.HoldsGPUs() {
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
		p.Decisions[g.snapshotIndexByJob[int64(id)]].Rank = i + 1
	}
	return p
}

func sortRefusals(rs []bridge.Refusal) {
	slices.SortFunc(rs, func(a, b bridge.Refusal) int {
		return cmp.Or(cmp.Compare(a.Job, b.Job), cmp.Compare(a.Invariant, b.Invariant), cmp.Compare(a.Why, b.Why))
	})
}
