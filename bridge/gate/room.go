package gate

import (
	"slices"

	"fairbridge/bridge"
	"fairbridge/bridge/actuator/sharing"
	"fairbridge/bridge/invariant"
	"fairbridge/policy"
)

// countFreeDevices is what is free when the jobs running now run on and those that are
// started without a stop have started.
func (g *stopGate) countFreeDevices(groups []stopGroup) deviceCounts {
	r := countHealthy(g.Snapshot, false)
	waits, seen := map[policy.JobID]bool{}, heldDevices{}
	for _, x := range groups {
		waits[x.beneficiary] = true
	}
	for i := range g.Snapshot.Jobs {
		j, d := &g.Snapshot.Jobs[i], &g.output.Plan.Decisions[i]
		r.SubtractHeld(j.On, seen)
		if d.Verb == policy.Start && !waits[d.Job] && !sharing.IsBeside(d, g.output.Plan, g.Snapshot) {
			r.Subtract(d.On, 1)
		}
	}
	return r
}

// wantedDevices is what the group's jobs and the one it is for would hold.
func (g *stopGate) wantedDevices(x stopGroup) policy.Alloc {
	var on policy.Alloc
	if b := g.decisionForJob(x.beneficiary); b != nil && b.Verb == policy.Start {
		on = append(on, b.On...)
	}
	for _, id := range x.victims {
		if d := g.decisionForJob(id); d.Verb != policy.Stop {
			on = append(on, d.On...)
		}
	}
	return on
}

// giveToBeneficiary gives the group's devices to the job it was stopped for.
func (g *stopGate) giveToBeneficiary(x stopGroup) {
	g.freeDevices.Subtract(freedBy(g.Snapshot, x.victims), -1)
	g.freeDevices.Subtract(g.wantedDevices(x), 1)
}

// checkWorthwhile says why stopping the stop group would not help, or not enough (I8).
func (g *stopGate) checkWorthwhile(x stopGroup) *denial {
	if g.isSeparation(x) {
		return nil
	}
	to, d := g.snapshotJob(int64(x.beneficiary)), g.decisionForJob(x.beneficiary)
	switch {
	case to == nil:
		return deny(invariant.StopPurpose, "the job it would make room for (%d) is not listed", x.beneficiary)
	case d.Verb != policy.Start && !stopsRunningJob(d, to):
		return deny(invariant.StopPurpose, "the job it would make room for (%d) does not start", x.beneficiary)
	case to.State == policy.Pending && !to.CanStart(g.Snapshot.Now):
		return deny(invariant.StopPurpose, "job %s could not start if it had room", g.Snapshot.JobLabel(x.beneficiary))
	}
	if n := firstDenial(
		func() *denial { return g.checkLeftBySlurm(to) },
		func() *denial { return g.checkNoRoomComes(to) },
		func() *denial { return g.checkBeneficiaryStarts(x) },
		func() *denial { return g.checkNoOtherGoesFirst(x) },
	); n != nil {
		return n
	}
	if n := g.checkMakesRoom(x); n != nil {
		return n
	}
	return g.checkGain(x, to)
}

// isSeparation reports whether the one job of the group shares a GPU with the one it is stopped for, which runs on, and was
// measured to hurt it.
func (g *stopGate) isSeparation(x stopGroup) bool {
	to := g.snapshotJob(int64(x.beneficiary))
	return to != nil && len(x.victims) == 1 && to.HoldsGPUs() && !stopsRunningJob(g.decisionForJob(x.beneficiary), to) &&
		slices.ContainsFunc(g.Separations, func(s bridge.Separation) bool {
			return s.Leaves == int64(x.victims[0]) && s.For == int64(to.ID)
		}) && slices.ContainsFunc(to.On.Nodes(), func(n string) bool { return g.snapshotJob(int64(x.victims[0])).On.CountOn(n) > 0 })
}

func (g *stopGate) checkMakesRoom(x stopGroup) *denial {
	if d := g.decisionForJob(x.beneficiary); d.Verb == policy.Start {
		if len(d.On) == 0 || d.On.Count() < min(minGPUCount(g.snapshotJob(int64(x.beneficiary))), max(d.GPUs, 1)) {
			return deny(invariant.StopPurpose, "it is not said where job %s would run", g.Snapshot.JobLabel(x.beneficiary))
		}
		if n := g.checkPendingDecision(g.snapshotJob(int64(x.beneficiary)), d); n != nil {
			return deny(invariant.StopPurpose, "job %s could not start: %s", g.Snapshot.JobLabel(x.beneficiary), n.Why)
		}
		if g.freeDevices.HasRoomFor(d.On) && !g.mayLackCoresOrMemory(g.snapshotJob(int64(x.beneficiary)), d.On) {
			return deny(invariant.StopPurpose, "job %s has room without it", g.Snapshot.JobLabel(x.beneficiary))
		}
	}
	then := deviceCounts{}
	for k, n := range g.freeDevices {
		then[k] = n
	}
	for _, id := range x.victims {
		if d := g.decisionForJob(id); d.Verb != policy.Stop && len(d.On) == 0 {
			return deny(invariant.StopPurpose, "it is not said where job %s would run", g.Snapshot.JobLabel(id))
		}
	}
	then.Subtract(freedBy(g.Snapshot, x.victims), -1)
	if on := g.wantedDevices(x); !then.HasRoomFor(on) {
		return deny(invariant.StopPurpose, "job %s would still not fit", g.Snapshot.JobLabel(x.beneficiary))
	}
	return nil
}

// mayLackCoresOrMemory reports whether the job may lack cores or memory on the devices'
// nodes while those run on that run there now: then free devices are not room.
// A job's cores and memory are taken as spread like its devices.
func (g *stopGate) mayLackCoresOrMemory(to *policy.Job, on policy.Alloc) bool {
	for _, name := range on.Nodes() {
		cpus, mem := coresAndMemoryOnNode(&to.Ask, on, name)
		for i := range g.Snapshot.Jobs {
			j := &g.Snapshot.Jobs[i]
			if slices.ContainsFunc(g.output.Stops, func(s bridge.Stop) bool { return s.Job == int64(j.ID) }) {
				continue
			}
			c, m := coresAndMemoryOnNode(&j.Ask, j.On, name)
			cpus, mem = cpus+c, mem+m
		}
		if n := g.Snapshot.Node(name); n != nil && (cpus > float64(n.CPUs) || mem > float64(n.MemMB)) {
			return true
		}
	}
	return false
}

// minGPUCount is the fewest devices the job runs on.
func minGPUCount(p *policy.Job) int {
	if p.MinGPUs > 0 {
		return min(p.MinGPUs, p.Ask.GPUs.Count)
	}
	return p.Ask.GPUs.Count
}
