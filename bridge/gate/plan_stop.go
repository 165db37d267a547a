package gate

import (
	"cmp"
	"slices"

	"fairbridge/bridge"
	"fairbridge/bridge/actuator"
	"fairbridge/policy"
)

// stopGroup is the jobs to be stopped for one other, all or none; or a job that is
// moved or resized for its own sake.
type stopGroup struct {
	beneficiary     policy.JobID
	beneficiaryRank int
	victims         []policy.JobID
}

// stopGate decides which of a plan's stops may be.
type stopGate struct {
	*planGate
	freeDevices      deviceCounts // what is free when those that may not be stopped run on
	stopBudget       *stopBudget
	plannedStopPairs stopPairs // stopped in this plan, and for whom
}

// filterStops lets through the stops that may be, those for the first in line first.
func (g *planGate) filterStops() {
	s := &stopGate{planGate: g, plannedStopPairs: stopPairs{}}
	groups, pause := s.newStopGroups(), g.checkStopPause()
	if pause != nil {
		g.output.StopPauseReason = pause.Why
		for _, x := range groups {
			s.refuseStopGroup(x, x.beneficiary, pause)
		}
		return
	}
	if len(groups) == 0 {
		return
	}
	s.freeDevices, s.stopBudget = s.countFreeDevices(groups), newStopBudget(&g.facts)
	for _, x := range groups {
		s.filterStopGroup(x)
	}
}

// filterStopGroup lets a stop group be stopped, now or after a warning, or keeps it.
func (g *stopGate) filterStopGroup(x stopGroup) {
	accepted, culprit, n := g.checkStopGroup(x)
	if n != nil {
		g.refuseStopGroup(x, culprit, n)
		return
	}
	if n := g.checkWholeList(); n != nil && g.sendsStops(accepted) {
		g.output.NeedsFullRead = true
		g.refuseStopGroup(x, x.beneficiary, n)
		return
	}
	for _, s := range accepted {
		g.stopBudget.addStop(s)
		g.plannedStopPairs[stopPair{s.Job, s.Beneficiary}] = true
	}
	if !g.isSeparation(x) { // of a GPU that another runs on nothing is free
		g.giveToBeneficiary(x)
	}
	if !g.warnBeforeStops(x, accepted) {
		g.output.Stops = append(g.output.Stops, accepted...)
	}
}

// sendsStops reports whether stops that may be are sent in this cycle, as requeues or as warnings:
// they are not while the grace of one of them runs and all were warned.
func (g *stopGate) sendsStops(accepted []bridge.Stop) bool {
	inGrace := false
	for _, s := range accepted {
		switch at, _ := g.warnStateOf(g.View.Job(s.Job)); at {
		case warnStateUnwarned:
			return true
		case warnStateInGrace:
			inGrace = true
		}
	}
	return !inGrace
}

// stopsRunningJob reports whether the decision takes a running job from its devices.
func stopsRunningJob(d *policy.Decision, p *policy.Job) bool {
	return p.HoldsGPUs() && (d.Verb == policy.Stop || d.Verb == policy.Move || d.Verb == policy.Resize)
}

func (g *planGate) decisionForJob(id policy.JobID) *policy.Decision {
	i, ok := g.snapshotIndexByJob[int64(id)]
	if !ok {
		return nil
	}
	return &g.output.Plan.Decisions[i]
}

// newStopGroups groups the stops by whom they are for, in that job's rank order.
func (g *stopGate) newStopGroups() []stopGroup {
	by := map[policy.JobID]*stopGroup{}
	for i := range g.output.Plan.Decisions {
		d := &g.output.Plan.Decisions[i]
		if !stopsRunningJob(d, &g.Snapshot.Jobs[i]) {
			continue
		}
		to := d.StoppedFor
		if to == 0 && d.Verb != policy.Stop {
			to = d.Job
		}
		if by[to] == nil {
			by[to] = &stopGroup{beneficiary: to}
			if b := g.decisionForJob(to); b != nil {
				by[to].beneficiaryRank = b.Rank
			}
		}
		by[to].victims = append(by[to].victims, d.Job)
	}
	out := make([]stopGroup, 0, len(by))
	for _, x := range by {
		out = append(out, *x)
	}
	slices.SortFunc(out, func(a, b stopGroup) int {
		return cmp.Or(cmp.Compare(a.beneficiaryRank, b.beneficiaryRank), cmp.Compare(a.beneficiary, b.beneficiary))
	})
	return out
}

// checkStopGroup checks a stop group as a whole; the culprit is the job that fails.
func (g *stopGate) checkStopGroup(x stopGroup) ([]bridge.Stop, policy.JobID, *denial) {
	if n := firstDenial(func() *denial { return g.checkWorthwhile(x) }, func() *denial { return g.checkNoOthersWarned(x) }); n != nil {
		return nil, x.beneficiary, n
	}
	trial := *g.stopBudget
	trial.countedStops = slices.Clone(trial.countedStops)
	var accepted []bridge.Stop
	for _, id := range x.victims {
		p := g.snapshotJob(int64(id))
		s := g.newStop(p, int64(x.beneficiary))
		s.Apart = g.isSeparation(x)
		if d := g.decisionForJob(id); d.Verb == policy.Resize || actuator.MovesToType(p, d) {
			s.ResumeGPUs, s.ResumeType = d.GPUs, actuator.OtherType(p, d)
		}
		n := firstDenial(
			func() *denial { return g.checkStoppable(p, int64(x.beneficiary)) },
			func() *denial { return g.checkCanResume(p, s.ResumeGPUs) },
			func() *denial { return g.checkResize(p, g.decisionForJob(id)) },
			func() *denial { return g.checkWarnable(p) },
			func() *denial { return g.checkPingPong(s, g.plannedStopPairs) },
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

// refuseStopGroup keeps every job of a stop group that may not be stopped, and lets the job
// it was for wait.
func (g *stopGate) refuseStopGroup(x stopGroup, culprit policy.JobID, n *denial) {
	for _, id := range x.victims {
		d, p := g.decisionForJob(id), g.snapshotJob(int64(id))
		why := n
		if id != culprit && culprit != x.beneficiary {
			why = deny(n.ID, "job %s of the same gang cannot be stopped: %s", g.Snapshot.JobLabel(culprit), n.Why)
		}
		g.addRefusal(id, why)
		d.Verb, d.On, d.GPUs, d.StoppedFor, d.Why = policy.Keep, p.On, p.On.Count(), 0, "runs on: "+why.Why
	}
	if d := g.decisionForJob(x.beneficiary); d != nil && d.Verb == policy.Start {
		why := deny(n.ID, "no room is made for it: %s", n.Why)
		if slices.Contains(x.victims, culprit) && culprit != x.beneficiary {
			why = deny(n.ID, "no room is made for it: job %s runs on: %s", g.Snapshot.JobLabel(culprit), n.Why)
		}
		g.addRefusal(x.beneficiary, why)
		d.Verb, d.On, d.Why = policy.Wait, nil, "waits in the queue: "+why.Why
	}
}
