package muri

import (
	"slices"

	"fairbridge/policy"
	"fairbridge/policy/colocate"
	"fairbridge/policy/engine"
	"fairbridge/policy/grant"
	"fairbridge/policy/interleave"
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
		typ := colocate.DevicesOf(r, u[0]).GPUType
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
	for _, u := range colocate.ListUnits(r, line, false, func(e *engine.Entry) bool { return mayRun(r, e) }) {
		unit := u.Jobs
		if a.isSlow(unit) {
			for _, o := range unit[1:] {
				parted[o] = unit[0].ID
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

// maySharePairwise reports whether the jobs of two packs may all share GPUs: they accept each other, and their
// stages are known.
func (a *packAllocator) maySharePairwise(r *engine.Round, x, y []*engine.Entry) bool {
	all := slices.Concat(x, y)
	return colocate.Accepts(r, x, y) && !a.isSlow(all) && !slices.ContainsFunc(all, func(e *engine.Entry) bool { return !isKnown(e) })
}
