package gate

import (
	"slices"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/invariant"
	"fairbridge/policy"
)

// spotKind is the devices of one type on one node.
type spotKind struct{ node, kind string }

// room is how many devices would be free.
type room map[spotKind]int

func (r room) take(a policy.Alloc, sign int) {
	for _, s := range a {
		r[spotKind{s.Node, s.Type}] -= sign * s.Count
	}
}

func (r room) has(a policy.Alloc) bool {
	want := room{}
	want.take(a, -1)
	for k, n := range want {
		if r[k] < n {
			return false
		}
	}
	return len(a) > 0
}

// freeRoom is what is free when the jobs running now run on and those that are
// started without a stop have started.
func (g *stopper) freeRoom(gangs []gang) room {
	r := room{}
	for i := range g.Snapshot.Nodes {
		n := &g.Snapshot.Nodes[i]
		for _, d := range n.GPUs {
			if n.Down == "" {
				r[spotKind{n.Name, d.Type}] += d.Count - d.Sick
			}
		}
	}
	waits := map[policy.JobID]bool{}
	for _, x := range gangs {
		waits[x.to] = true
	}
	for i := range g.Snapshot.Jobs {
		j, d := &g.Snapshot.Jobs[i], &g.out.Plan.Decisions[i]
		r.take(j.On, 1)
		if d.Verb == policy.Start && !waits[d.Job] {
			r.take(d.On, 1)
		}
	}
	return r
}

// targets is what the gang's jobs and the one it is for would hold.
func (g *stopper) targets(x gang) policy.Alloc {
	var on policy.Alloc
	if b := g.decision(x.to); b != nil && b.Verb == policy.Start {
		on = append(on, b.On...)
	}
	for _, id := range x.victims {
		if d := g.decision(id); d.Verb != policy.Stop {
			on = append(on, d.On...)
		}
	}
	return on
}

// move gives the gang's devices to whom it was stopped for.
func (r room) move(g *stopper, x gang) {
	for _, id := range x.victims {
		r.take(g.job(int64(id)).On, -1)
	}
	r.take(g.targets(x), 1)
}

// worthwhile says why stopping the gang would not help, or not enough (I8).
func (g *stopper) worthwhile(x gang) *denial {
	to, d := g.job(int64(x.to)), g.decision(x.to)
	switch {
	case to == nil:
		return deny(invariant.StopPurpose, "the job it would make room for (%d) is not listed", x.to)
	case d.Verb != policy.Start && !ends(d, to):
		return deny(invariant.StopPurpose, "the job it would make room for (%d) does not start", x.to)
	case to.State == policy.Pending && !to.CanStart(g.Snapshot.Now):
		return deny(invariant.StopPurpose, "job %d could not start if it had room", x.to)
	}
	if n := g.startsInTime(x); n != nil {
		return n
	}
	if n := g.makesRoom(x); n != nil {
		return n
	}
	return g.gains(x, to)
}

func (g *stopper) makesRoom(x gang) *denial {
	if d := g.decision(x.to); d.Verb == policy.Start {
		if len(d.On) == 0 || d.On.Count() < min(need(g.job(int64(x.to))), max(d.GPUs, 1)) {
			return deny(invariant.StopPurpose, "it is not said where job %d would run", x.to)
		}
		if n := g.pendingBar(g.job(int64(x.to)), d); n != nil {
			return deny(invariant.StopPurpose, "job %d could not start: %s", x.to, n.Why)
		}
		if g.room.has(d.On) && !g.lacksCores(g.job(int64(x.to)), d.On) {
			return deny(invariant.StopPurpose, "job %d has room without it", x.to)
		}
	}
	then := room{}
	for k, n := range g.room {
		then[k] = n
	}
	for _, id := range x.victims {
		p := g.job(int64(id))
		if d := g.decision(id); d.Verb != policy.Stop && len(d.On) == 0 {
			return deny(invariant.StopPurpose, "it is not said where job %d would run", id)
		}
		then.take(p.On, -1)
	}
	if on := g.targets(x); !then.has(on) {
		return deny(invariant.StopPurpose, "job %d would still not fit", x.to)
	}
	return nil
}

// lacksCores reports whether the job may lack cores or memory on the devices'
// nodes while those run on that run there now: then free devices are not room.
// A job's cores and memory are taken as spread like its devices.
func (g *stopper) lacksCores(to *policy.Job, on policy.Alloc) bool {
	for _, name := range on.Nodes() {
		cpus, mem := share(&to.Ask, on, name)
		for i := range g.Snapshot.Jobs {
			j := &g.Snapshot.Jobs[i]
			if slices.ContainsFunc(g.out.Stops, func(s bridge.Stop) bool { return s.Job == int64(j.ID) }) {
				continue
			}
			c, m := share(&j.Ask, j.On, name)
			cpus, mem = cpus+c, mem+m
		}
		if n := g.Snapshot.Node(name); n != nil && (cpus > float64(n.CPUs) || mem > float64(n.MemMB)) {
			return true
		}
	}
	return false
}

// share is what a job with the devices uses of a node's cores and memory.
func share(ask *policy.Ask, on policy.Alloc, node string) (cpus, mem float64) {
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

// need is the fewest devices the job runs on.
func need(p *policy.Job) int {
	if p.MinGPUs > 0 {
		return min(p.MinGPUs, p.Ask.GPUs.Count)
	}
	return p.Ask.GPUs.Count
}

// gains weighs the work the beneficiary is expected to do against what is lost.
// A job with neither limit nor prediction is expected to do any amount.
func (g *stopper) gains(x gang, to *policy.Job) *denial {
	left := to.Left
	if left == 0 && to.Limit > 0 {
		left = to.Limit - to.Ran(g.Snapshot.Now)
	}
	if left == 0 && to.Limit == 0 {
		return nil
	}
	var lost policy.GPUSeconds
	for _, id := range x.victims {
		lost += g.stopOf(g.job(int64(id)), 0).Lost
	}
	gain := policy.Service(to.Ask.GPUs.Whole(), max(left, time.Duration(0)))
	if float64(gain) < g.Config.GainFactor*float64(lost) {
		return deny(invariant.StopPurpose, "job %d is expected to do %v, less than %g times the %v lost", x.to, gain, g.Config.GainFactor, lost)
	}
	return nil
}
