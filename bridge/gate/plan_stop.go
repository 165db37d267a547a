package gate

import (
	"cmp"
	"slices"

	"fairbridge/bridge"
	"fairbridge/bridge/invariant"
	"fairbridge/policy"
)

// gang is the jobs to be stopped for one other, all or none; or a job that is
// moved or resized for its own sake.
type gang struct {
	to      policy.JobID
	rank    int
	victims []policy.JobID
}

// stopper decides which of a plan's stops may be.
type stopper struct {
	*planner
	room      room // what is free when those that may not be stopped run on
	budget    *stopBudget
	displaced pairs // stopped in this plan, and for whom
}

// stops lets through the stops that may be, those for the first in line first.
func (g *planner) stops() {
	s := &stopper{planner: g, displaced: pairs{}}
	gangs, pause := s.gangs(), g.pause()
	if pause != nil {
		g.out.Pause = pause.Why
		for _, x := range gangs {
			s.keepGang(x, x.to, pause)
		}
		return
	}
	if len(gangs) == 0 {
		return
	}
	s.room, s.budget = s.freeRoom(gangs), newStopBudget(&g.facts)
	for _, x := range gangs {
		s.stop(x)
	}
}

// stop lets a gang be stopped, now or after a warning, or keeps it.
func (g *stopper) stop(x gang) {
	accepted, culprit, n := g.stopGang(x)
	if n != nil {
		g.keepGang(x, culprit, n)
		return
	}
	for _, s := range accepted {
		g.budget.add(s)
		g.displaced[pair{s.Job, s.For}] = true
	}
	g.room.move(g, x)
	if !g.postpone(x, accepted) {
		g.out.Stops = append(g.out.Stops, accepted...)
	}
}

// ends reports whether the decision takes a running job from its devices.
func ends(d *policy.Decision, p *policy.Job) bool {
	return p.Active() && (d.Verb == policy.Stop || d.Verb == policy.Move || d.Verb == policy.Resize)
}

func (g *planner) decision(id policy.JobID) *policy.Decision {
	i, ok := g.jobs[int64(id)]
	if !ok {
		return nil
	}
	return &g.out.Plan.Decisions[i]
}

// gangs groups the stops by whom they are for, in that job's rank order.
func (g *stopper) gangs() []gang {
	by := map[policy.JobID]*gang{}
	for i := range g.out.Plan.Decisions {
		d := &g.out.Plan.Decisions[i]
		if !ends(d, &g.Snapshot.Jobs[i]) {
			continue
		}
		to := d.For
		if to == 0 && d.Verb != policy.Stop {
			to = d.Job
		}
		if by[to] == nil {
			by[to] = &gang{to: to}
			if b := g.decision(to); b != nil {
				by[to].rank = b.Rank
			}
		}
		by[to].victims = append(by[to].victims, d.Job)
	}
	out := make([]gang, 0, len(by))
	for _, x := range by {
		out = append(out, *x)
	}
	slices.SortFunc(out, func(a, b gang) int { return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.to, b.to)) })
	return out
}

// stopGang checks a gang as a whole; the culprit is the job that fails.
func (g *stopper) stopGang(x gang) ([]bridge.Stop, policy.JobID, *denial) {
	if n := first(func() *denial { return g.worthwhile(x) }, func() *denial { return g.otherWarned(x) }); n != nil {
		return nil, x.to, n
	}
	trial := *g.budget
	trial.stops = slices.Clone(trial.stops)
	var accepted []bridge.Stop
	for _, id := range x.victims {
		p := g.job(int64(id))
		s := g.stopOf(p, int64(x.to))
		n := first(
			func() *denial { return g.stoppable(p) },
			func() *denial { return g.comesBack(p) },
			func() *denial { return g.warnable(p) },
			func() *denial { return g.pingPong(s, g.displaced) },
			func() *denial { return trial.check(s) },
		)
		if n != nil {
			return nil, id, n
		}
		trial.add(s)
		accepted = append(accepted, s)
	}
	return accepted, 0, nil
}

// keepGang keeps every job of a gang that may not be stopped, and lets the job
// it was for wait.
func (g *stopper) keepGang(x gang, culprit policy.JobID, n *denial) {
	for _, id := range x.victims {
		d, p := g.decision(id), g.job(int64(id))
		why := n
		if id != culprit && culprit != x.to {
			why = deny(n.ID, "job %d of the same gang cannot be stopped: %s", culprit, n.Why)
		}
		g.refuse(id, why)
		d.Verb, d.On, d.GPUs, d.For, d.Why = policy.Keep, p.On, p.On.Count(), 0, "runs on: "+why.Why
	}
	if d := g.decision(x.to); d != nil && d.Verb == policy.Start {
		why := deny(n.ID, "no room is made for it: %s", n.Why)
		g.refuse(x.to, why)
		d.Verb, d.On, d.Why = policy.Wait, nil, "waits in the queue: "+why.Why
	}
}

// tooManyStops doubts a plan that empties the cluster.
func (g *planner) tooManyStops() *denial {
	var stopped, inUse float64
	n := 0
	for i := range g.in.Plan.Decisions {
		p := &g.Snapshot.Jobs[i]
		if !p.Active() {
			continue
		}
		inUse += p.Ask.GPUs.Whole()
		if ends(&g.in.Plan.Decisions[i], p) {
			n++
			stopped += p.Ask.GPUs.Whole()
		}
	}
	if c := &g.Config; n > c.PlanStopFloor && stopped*100 > c.PlanStopPercent*inUse {
		return deny(invariant.StopBudget, "the plan wants to stop %d jobs with %g of %g GPUs, over %g%%", n, stopped, inUse, c.PlanStopPercent)
	}
	return nil
}
