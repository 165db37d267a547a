package gate

import (
	"slices"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/invariant"
	"fairbridge/policy"
)

// nodeGPUType is the devices of one type on one node.
type nodeGPUType struct{ node, gpuType string }

// freeDeviceCounts is how many devices would be free.
type freeDeviceCounts map[nodeGPUType]int

func (r freeDeviceCounts) subtractAlloc(a policy.Alloc, sign int) {
	for _, s := range a {
		r[nodeGPUType{s.Node, s.Type}] -= sign * s.Count
	}
}

func (r freeDeviceCounts) hasRoomFor(a policy.Alloc) bool {
	want := freeDeviceCounts{}
	want.subtractAlloc(a, -1)
	for k, n := range want {
		if r[k] < n {
			return false
		}
	}
	return len(a) > 0
}

// countFreeDevices is what is free when the jobs running now run on and those that are
// started without a stop have started.
func (g *stopGate) countFreeDevices(groups []stopGroup) freeDeviceCounts {
	r := freeDeviceCounts{}
	for i := range g.Snapshot.Nodes {
		n := &g.Snapshot.Nodes[i]
		for _, d := range n.GPUs {
			if n.DownReason == "" {
				r[nodeGPUType{n.Name, d.Type}] += d.Count - d.SickCount
			}
		}
	}
	waits := map[policy.JobID]bool{}
	for _, x := range groups {
		waits[x.beneficiary] = true
	}
	for i := range g.Snapshot.Jobs {
		j, d := &g.Snapshot.Jobs[i], &g.output.Plan.Decisions[i]
		r.subtractAlloc(j.On, 1)
		if d.Verb == policy.Start && !waits[d.Job] {
			r.subtractAlloc(d.On, 1)
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
func (r freeDeviceCounts) giveToBeneficiary(g *stopGate, x stopGroup) {
	for _, id := range x.victims {
		r.subtractAlloc(g.snapshotJob(int64(id)).On, -1)
	}
	r.subtractAlloc(g.wantedDevices(x), 1)
}

// checkWorthwhile says why stopping the stop group would not help, or not enough (I8).
func (g *stopGate) checkWorthwhile(x stopGroup) *denial {
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

func (g *stopGate) checkMakesRoom(x stopGroup) *denial {
	if d := g.decisionForJob(x.beneficiary); d.Verb == policy.Start {
		if len(d.On) == 0 || d.On.Count() < min(minGPUCount(g.snapshotJob(int64(x.beneficiary))), max(d.GPUs, 1)) {
			return deny(invariant.StopPurpose, "it is not said where job %s would run", g.Snapshot.JobLabel(x.beneficiary))
		}
		if n := g.checkPendingDecision(g.snapshotJob(int64(x.beneficiary)), d); n != nil {
			return deny(invariant.StopPurpose, "job %s could not start: %s", g.Snapshot.JobLabel(x.beneficiary), n.Why)
		}
		if g.freeDevices.hasRoomFor(d.On) && !g.mayLackCoresOrMemory(g.snapshotJob(int64(x.beneficiary)), d.On) {
			return deny(invariant.StopPurpose, "job %s has room without it", g.Snapshot.JobLabel(x.beneficiary))
		}
	}
	then := freeDeviceCounts{}
	for k, n := range g.freeDevices {
		then[k] = n
	}
	for _, id := range x.victims {
		p := g.snapshotJob(int64(id))
		if d := g.decisionForJob(id); d.Verb != policy.Stop && len(d.On) == 0 {
			return deny(invariant.StopPurpose, "it is not said where job %s would run", g.Snapshot.JobLabel(id))
		}
		then.subtractAlloc(p.On, -1)
	}
	if on := g.wantedDevices(x); !then.hasRoomFor(on) {
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

// coresAndMemoryOnNode is what a job with the devices uses of a node's cores and memory.
func coresAndMemoryOnNode(ask *policy.Ask, on policy.Alloc, node string) (cpus, mem float64) {
	here := 0
	for _, s := range on {
		if s.Node == node {
			here += s.Count
		}
	}
	if here == 0 {
		return 0, 0
	}
	part := float64(here) / float64(on.Count())
	return float64(ask.CPUs) * part, float64(ask.MemMB) * part
}

// minGPUCount is the fewest devices the job runs on.
func minGPUCount(p *policy.Job) int {
	if p.MinGPUs > 0 {
		return min(p.MinGPUs, p.Ask.GPUs.Count)
	}
	return p.Ask.GPUs.Count
}

// checkGain weighs the work the beneficiary is expected to do against what is lost.
// A job with neither limit nor prediction is expected to do any amount.
func (g *stopGate) checkGain(x stopGroup, to *policy.Job) *denial {
	left := to.PredictedLeft
	if left == 0 && to.Limit > 0 {
		left = to.Limit - to.Ran(g.Snapshot.Now)
	}
	if left == 0 && to.Limit == 0 {
		return nil
	}
	var lost policy.GPUSeconds
	for _, id := range x.victims {
		lost += g.newStop(g.snapshotJob(int64(id)), 0).Lost
	}
	gain := policy.ServiceForTime(to.Ask.GPUs.WholeGPUs(), max(left, time.Duration(0)))
	if float64(gain) < g.Budgets.GainFactor*float64(lost) {
		return deny(invariant.StopPurpose, "job %s is expected to do %v, less than %g times the %v lost", g.Snapshot.JobLabel(x.beneficiary), gain, g.Budgets.GainFactor, lost)
	}
	return nil
}
