package elasticflow

import (
	"errors"
	"math"
	"slices"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/grant"
	"fairbridge/policy/order"
	"fairbridge/policy/sizing"
)

// allocator is the stage of one decision.
type allocator struct {
	*Policy
	committed commitments // as remembered; Allocate replaces it
	kinds     []kind
	heldBack  map[policy.JobID]bool // best effort jobs that would fit now, on what plans need soon
}

// Admit implements engine.Admitter: while GPUs are kept for those that were admitted, no job
// may take them that could not be stopped in time.
func (a *allocator) Admit(_ *engine.Round, e *engine.Entry) error {
	if a.heldBack[e.ID] {
		return errKept
	}
	return nil
}

var errKept = errors.New("the GPUs that are free are needed soon by jobs that were admitted for their deadlines")

// kind is one type of device.
type kind struct {
	gpuType string
	isSlice bool
	count   float64 // in the cluster
}

// Allocate implements engine.Allocator.
func (a *allocator) Allocate(r *engine.Round) ([]engine.Assignment, error) {
	free := grant.CountGrantableDevices(r)
	a.countKinds(r)
	p := &planner{seq: r.Seq, slot: a.Slot.Seconds(), plans: map[*demand][]step{}, declined: map[*demand]bool{}, lost: map[*demand]bool{}}
	for k := range free {
		p.kinds = append(p.kinds, a.newProfile(r, free[k]))
	}
	demands := a.listDemands(r)
	a.plan(p, demands, r)
	a.committed = newCommitments(r.Now, demands, p.plans)
	line, sizes := a.line(r, p, demands, free)
	if !r.OmitReasons {
		p.explain(r, demands)
	}
	all := sizing.AssignSizes(r, line, sizes, "jobs that were admitted for their deadlines need its GPUs")
	for i := range all {
		if e := all[i].Entry; e.Ask.GPUs.Type == "" && all[i].Grant.HasLease && a.committed.find(e.ID) != nil {
			all[i].Grant.GPUType = a.kinds[a.kindOf(e)].gpuType // on which it was planned
		}
	}
	return all, nil
}

// newProfile is what is free of a kind of device from now on: what may be granted now, what the jobs
// hold that are planned but keep their size for now, and what others hold that must not be stopped, once
// they may be or have ended.
func (a *allocator) newProfile(r *engine.Round, free grant.FreeDevices) profile {
	p := newProfile(free.Count)
	for _, e := range r.RunningEntries() {
		held := 0
		for _, s := range e.On {
			if s.Type == free.Type {
				held += s.Count
			}
		}
		if at, ever := a.freeAt(r, e); e.IsUnstoppable && ever {
			p.add(math.Ceil(at/a.Slot.Seconds())*a.Slot.Seconds(), math.Inf(1), held)
		}
	}
	return p
}

// freeAt is in how many seconds others may have what a job holds that must not be stopped
// now; ever is false where that is not known.
func (a *allocator) freeAt(r *engine.Round, e *engine.Entry) (seconds float64, ever bool) {
	switch left := e.Estimate().TimeLeft.Seconds() * (1 + a.Margin); {
	case a.isFixed(e):
		return 0, true
	case a.Rules().IsEverStoppable(e.Job):
		return max(a.minRun(e)-e.Ran(r.Now).Seconds(), 0), true
	default:
		speed := sizing.Speed(e, e.On.Count())
		return left / speed, left > 0 && speed > 0
	}
}

// isFixed reports whether a job is planned though it keeps its size for now: it was admitted, and
// may be stopped later.
func (a *allocator) isFixed(e *engine.Entry) bool {
	return e.IsUnstoppable && a.Rules().IsEverStoppable(e.Job) && a.committed.find(e.ID) != nil
}

// minRun is how long a job runs at the least, in seconds; at least until the next decision.
func (a *allocator) minRun(e *engine.Entry) float64 {
	return max(a.Rules().LeastRun(e.Job), a.Slot).Seconds()
}

// listDemands lists the jobs that compete for devices, by id.
func (a *allocator) listDemands(r *engine.Round) []demand {
	var all []demand
	for _, e := range r.Entries {
		if k := a.kindOf(e); k >= 0 && (grant.CompetesForLease(r, e) || a.isFixed(e)) {
			d := newDemand(r, e, k, a.Margin)
			d.minRun, d.isFixed = a.minRun(e), e.IsUnstoppable
			all = append(all, d)
		}
	}
	slices.SortFunc(all, func(x, y demand) int { return int(x.entry.ID - y.entry.ID) })
	return all
}

// countKinds counts the devices of the cluster.
func (a *allocator) countKinds(r *engine.Round) {
	for _, c := range r.ListCapacities(nil) {
		a.kinds = append(a.kinds, kind{c.GPUType, c.IsSlice, float64(c.Healthy)})
	}
}

// kindOf is the kind of device a job is planned on: of the type it holds or asks, else of the
// whole GPUs of which the cluster has most; -1: there is none.
func (a *allocator) kindOf(e *engine.Entry) int {
	typ, best := sizing.TypeOf(e), -1
	for k, x := range a.kinds {
		switch {
		case typ != "" && x.gpuType == typ:
			return k
		case typ == "" && !x.isSlice && (best < 0 || x.count > a.kinds[best].count):
			best = k
		}
	}
	return best
}

// plan keeps the plans of jobs that were admitted, and admits others.
func (a *allocator) plan(p *planner, demands []demand, r *engine.Round) {
	later := r.Now.Sub(a.committed.At).Seconds()
	var known, others []*demand
	old := map[*demand][]step{}
	for i := range demands {
		d := &demands[i]
		if d.deadline == 0 {
			if !d.entry.Deadline.IsZero() && d.entry.Estimate().TimeLeft > 0 {
				p.declined[d] = true // it is too late
			}
			continue
		}
		if c := a.committed.find(d.entry.ID); c != nil {
			known = append(known, d)
			old[d] = c.stepsAt(later)
		} else {
			others = append(others, d)
		}
	}
	p.keep(known, old)
	p.admit(others)
}

// line puts the jobs in line with their sizes: those admitted by deadline, the others that run,
// then the others, both by arrival, last those that do not compete.
func (a *allocator) line(r *engine.Round, p *planner, demands []demand, free grant.FreeByType) ([]*engine.Entry, []int) {
	now, left := make([]int, len(free)), p.clone()
	for k := range free {
		now[k] = free[k].Count
	}
	jobs := make([]sized, 0, len(demands))
	for _, d := range p.admitted {
		s := sized{demand: d, level: -1, plan: p.plans[d]}
		if steps := p.plans[d]; len(steps) > 0 && !d.isFixed {
			s.level = d.levelWithin(min(steps[0].gpus, now[d.kind]), len(d.levels)-1)
		}
		if s.level >= 0 {
			now[d.kind] -= d.levels[s.level]
		}
		left[d.kind].take(p.plans[d])
		jobs = append(jobs, s)
	}
	for k := range left { // what is planned but not given back yet is not there
		left[k].add(0, a.Slot.Seconds(), min(now[k]-left[k][0].free, 0))
	}
	jobs = append(jobs, bestEffort(p, demands)...)
	divideLeftover(jobs, left, a.Leftover == "dearest")
	a.holdBack(jobs, left)
	var line []*engine.Entry
	var sizes []int
	inLine := make([]bool, len(r.Entries))
	for _, j := range jobs {
		n := 0
		if j.level >= 0 {
			n = j.levels[j.level]
		}
		line, sizes = append(line, j.entry), append(sizes, n)
		inLine[j.entry.Index] = true
	}
	rest := slices.DeleteFunc(slices.Clone(r.Entries), func(e *engine.Entry) bool { return inLine[e.Index] })
	slices.SortFunc(rest, engine.CompareArrival)
	return append(line, rest...), append(sizes, make([]int, len(rest))...)
}

// holdBack notes the jobs that would fit now, on what plans need before they could be stopped.
func (a *allocator) holdBack(jobs []sized, left []profile) {
	a.heldBack = map[policy.JobID]bool{}
	for _, j := range jobs {
		if j.level < 0 && !j.entry.HoldsGPUs() && len(j.levels) > 0 && left[j.kind][0].free >= j.levels[0] {
			a.heldBack[j.entry.ID] = true
		}
	}
}

// bestEffort lists the jobs that were not admitted: those that run first, then by arrival.
func bestEffort(p *planner, demands []demand) []sized {
	var all []sized
	for i := range demands {
		if _, admitted := p.plans[&demands[i]]; !admitted {
			all = append(all, sized{demand: &demands[i], level: -1})
		}
	}
	slices.SortFunc(all, func(a, b sized) int {
		if c := order.ActiveFirst(nil, a.entry, b.entry); c != 0 {
			return c
		}
		return engine.CompareArrival(a.entry, b.entry)
	})
	return all
}
