package muri

import (
	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/grant"
	"fairbridge/policy/interleave"
	"fairbridge/policy/pack"
)

// isKnown reports whether the job may share GPUs, and the stages of its steps are known.
func isKnown(e *engine.Entry) bool {
	_, known := interleave.JobOf(e.Sharing)
	return known && e.Shareable
}

// makePacks returns the packs that are to run, of one job or more. parted are jobs that run beside
// others and must leave, by the job beside which they run.
func (a *packAllocator) makePacks(r *engine.Round, line []*engine.Entry) (packs [][]*engine.Entry, parted map[*engine.Entry]policy.JobID) {
	units, parted := a.listUnits(r, line)
	chosen, gpus := a.chooseCandidates(r, units)
	byType := map[string][][]*engine.Entry{}
	var types []string
	for _, u := range chosen {
		typ := devicesOf(u[0]).gpuType
		if byType[typ] == nil {
			types = append(types, typ)
		}
		byType[typ] = append(byType[typ], u)
	}
	times := new(interleave.Times)
	for _, typ := range types {
		packs = append(packs, a.group(r, byType[typ], gpus[typ], times)...)
	}
	return packs, parted
}

// mayRun reports whether the job competes for GPUs, or keeps those it holds.
func mayRun(r *engine.Round, e *engine.Entry) bool {
	return e.IsUnstoppable || grant.CompetesForLease(r, e)
}

// listUnits returns the jobs that may run, those that share some already together.
func (a *packAllocator) listUnits(r *engine.Round, line []*engine.Entry) (units [][]*engine.Entry, parted map[*engine.Entry]policy.JobID) {
	parted = map[*engine.Entry]policy.JobID{}
	seen := map[*engine.Entry]bool{}
	for _, e := range line {
		if seen[e] || !mayRun(r, e) {
			continue
		}
		unit := []*engine.Entry{e}
		if e.HoldsGPUs() && e.Shareable {
			for _, o := range pack.Group(r, e) {
				if o != e && !seen[o] && mayRun(r, o) {
					unit = append(unit, o)
				}
			}
		}
		for _, o := range unit {
			seen[o] = true
		}
		if a.isSlow(unit) {
			for _, o := range unit[1:] {
				parted[o] = e.ID
			}
			unit = unit[:1]
		}
		units = append(units, unit)
	}
	return units, parted
}

// isSlow reports whether a step of the jobs together takes longer than one of each after another,
// and that matters.
func (a *packAllocator) isSlow(jobs []*engine.Entry) bool {
	if !a.Unpack || len(jobs) < 2 || len(jobs) > interleave.MaxJobs {
		return false
	}
	known := make([]interleave.Job, len(jobs))
	for i, e := range jobs {
		var ok bool
		if known[i], ok = interleave.JobOf(e.Sharing); !ok {
			return false
		}
	}
	return interleave.IsSlowerThanTurns(known)
}

// group groups units that run on GPUs of one type.
func (a *packAllocator) group(r *engine.Round, units [][]*engine.Entry, gpus int, times *interleave.Times) [][]*engine.Entry {
	var jobs []*engine.Entry
	g := interleave.Grouping{TotalGPUs: gpus, MaxPerPack: a.Jobs, Times: times}
	entriesOf := func(indexes []int) []*engine.Entry {
		entries := make([]*engine.Entry, len(indexes))
		for i, k := range indexes {
			entries[i] = jobs[k]
		}
		return entries
	}
	packs := make([][]int, len(units))
	for i, u := range units {
		for _, e := range u {
			known, _ := interleave.JobOf(e.Sharing)
			packs[i] = append(packs[i], len(jobs))
			jobs, g.Jobs, g.GPUs = append(jobs, e), append(g.Jobs, known), append(g.GPUs, e.DeviceCount())
		}
	}
	g.MayShare = func(x, y []int) bool { return a.maySharePairwise(r, entriesOf(x), entriesOf(y)) }
	var out [][]*engine.Entry
	for _, indexes := range g.Group(packs) {
		out = append(out, entriesOf(indexes))
	}
	return out
}

// maySharePairwise reports whether the jobs of two packs may all share GPUs: their owners accept each
// other and as many, their stages are known, and at most one pack runs already.
func (a *packAllocator) maySharePairwise(r *engine.Round, x, y []*engine.Entry) bool {
	if x[0].HoldsGPUs() && y[0].HoldsGPUs() || devicesOf(x[0]) != devicesOf(y[0]) || a.isSlow(append(append([]*engine.Entry{}, x...), y...)) {
		return false
	}
	on := x[0].On
	if len(on) == 0 {
		on = y[0].On
	}
	group := append([]*engine.Entry{}, x...)
	for _, e := range y {
		if !isKnown(e) || !isKnown(x[0]) || !pack.Accepts(r, group, on, e) {
			return false
		}
		group = append(group, e)
	}
	return true
}
