package gate

import (
	"cmp"
	"slices"

	"fairbridge/bridge"
	"fairbridge/bridge/invariant"
	"fairbridge/policy"
)

// stopGroup is the jobs to be stopped for one other, all or none; or a job that is
// moved or resized for its own sake.
type stopGroup struct {
	beneficiary policy.JobID
	rank        int
	victims     []policy.JobID
}

// stopGate decides which of a plan's stops may be.
type stopGate struct {
	*planGate
	freeDevices    freeDevices // what is free when those that may not be stopped run on
	budget         *stopBudget
	displacedPairs stopPairs // stopped in this plan, and for whom
}

// gateStops lets through the stops that may be, those for the first in line first.
func (g *planGate) gateStops() {
	s := &stopGate{planGate: g, displacedPairs: stopPairs{}}
	groups, pause := s.stopGroups(), g.checkStopPause()
	if pause != nil {
		g.out.StopPause = pause.Why
		for _, x := range groups {
			s.keepGroup(x, x.beneficiary, pause)
		}
		return
	}
	if len(groups) == 0 {
		return
	}
	s.freeDevices, s.budget = s.countFreeDevices(groups), newStopBudget(&g.facts)
	for _, x := range groups {
		s.gateGroup(x)
	}
}

// gateGroup lets a stop group be stopped, now or after a warning, or keeps it.
func (g *stopGate) gateGroup(x stopGroup) {
	accepted, culprit, n := g.checkGroup(x)
	if n != nil {
		g.keepGroup(x, culprit, n)
		return
	}
	for _, s := range accepted {
		g.budget.addStop(s)
		g.displacedPairs[stopPair{s.Job, s.Beneficiary}] = true
	}
	g.freeDevices.giveToBeneficiary(g, x)
	if !g.warnBeforeStops(x, accepted) {
		g.out.Stops = append(g.out.Stops, accepted...)
	}
}

// stopsRun reports whether the decision takes a running job from its devices.
func stopsRun(d *policy.Decision, p *policy.Job) bool {
	return p.HoldsGPUs() && (d.Verb == policy.Stop || d.Verb == policy.Move || d.Verb == policy.Resize)
}

func (g *planGate) decisionFor(id policy.JobID) *policy.Decision {
	i, ok := g.indexByJob[int64(id)]
	if !ok {
		return nil
	}
	return &g.out.Plan.Decisions[i]
}

// stopGroups groups the stops by whom they are for, in that job's rank order.
func (g *stopGate) stopGroups() []stopGroup {
	by := map[policy.JobID]*stopGroup{}
	for i := range g.out.Plan.Decisions {
		d := &g.out.Plan.Decisions[i]
		if !stopsRun(d, &g.Snapshot.Jobs[i]) {
			continue
		}
		to := d.StoppedFor
		if to == 0 && d.Verb != policy.Stop {
			to = d.Job
		}
		if by[to] == nil {
			by[to] = &stopGroup{beneficiary: to}
			if b := g.decisionFor(to); b != nil {
				by[to].rank = b.Rank
			}
		}
		by[to].victims = append(by[to].victims, d.Job)
	}
	out := make([]stopGroup, 0, len(by))
	for _, x := range by {
		out = append(out, *x)
	}
	slices.SortFunc(out, func(a, b stopGroup) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.beneficiary, b.beneficiary))
	})
	return out
}

// checkGroup checks a stop group as a whole; the culprit is the job that fails.
func (g *stopGate) checkGroup(x stopGroup) ([]bridge.Stop, policy.JobID, *denial) {
	if n := firstDenial(func() *denial { return g.checkWorthwhile(x) }, func() *denial { return g.checkOthersWarned(x) }); n != nil {
		return nil, x.beneficiary, n
	}
	trial := *g.budget
	trial.stops = slices.Clone(trial.stops)
	var accepted []bridge.Stop
	for _, id := range x.victims {
		p := g.job(int64(id))
		s := g.stopOf(p, int64(x.beneficiary))
		n := firstDenial(
			func() *denial { return g.checkStoppable(p) },
			func() *denial { return g.checkCanRestart(p) },
			func() *denial { return g.checkWarnable(p) },
			func() *denial { return g.checkPingPong(s, g.displacedPairs) },
			func() *denial { return trial.checkStop(s) },
		)
		if n != nil {
			return nil, id, n
		}
		trial.addStop(s)
		accepted = append(accepted, s)
	}
	return accepted, 0, nil
}

// keepGroup keeps every job of a stop group that may not be stopped, and lets the job
// it was for wait.
func (g *stopGate) keepGroup(x stopGroup, culprit policy.JobID, n *denial) {
	for _, id := range x.victims {
		d, p := g.decisionFor(id), g.job(int64(id))
		why := n
		if id != culprit && culprit != x.beneficiary {
			why = deny(n.ID, "job %d of the same gang cannot be stopped: %s", culprit, n.Why)
		}
		g.refuse(id, why)
		d.Verb, d.On, d.GPUs, d.StoppedFor, d.Why = policy.Keep, p.On, p.On.Count(), 0, "runs on: "+why.Why
	}
	if d := g.decisionFor(x.beneficiary); d != nil && d.Verb == policy.Start {
		why := deny(n.ID, "no room is made for it: %s", n.Why)
		g.refuse(x.beneficiary, why)
		d.Verb, d.On, d.Why = policy.Wait, nil, "waits in the queue: "+why.Why
	}
}

// checkStopCount doubts a plan that empties the cluster.
func (g *planGate) checkStopCount() *denial {
	var stopped, inUse float64
	n := 0
	for i := range g.in.Plan.Decisions {
		p := &g.Snapshot.Jobs[i]
		if !p.HoldsGPUs() {
			continue
		}
		inUse += p.Ask.GPUs.WholeGPUs()
		if stopsRun(&g.in.Plan.Decisions[i], p) {
			n++
			stopped += p.Ask.GPUs.WholeGPUs()
		}
	}
	if c := &g.Budgets; n > c.PlanStopFloor && stopped*100 > c.PlanStopPercent*inUse {
		return deny(invariant.StopBudget, "the plan wants to stop %d jobs with %g of %g GPUs, over %g%%", n, stopped, inUse, c.PlanStopPercent)
	}
	return nil
}
