package fairbridge

import (
	"slices"

	"fairbridge/policy/engine"
	"fairbridge/policy/sizing"
	"fairbridge/policy/solve/choice"
)

// ChooseTypes implements sizing.TypeChooser: it values the work of all jobs, and lets those that
// accept several GPU types, and whose size is chosen, go where that is worth the most to all
// together.
func (a *elasticAllocator) ChooseTypes(groups []*sizing.Group) {
	a.works = make([]*elasticWork, len(a.leases))
	var all []*elasticWork
	for _, g := range groups {
		for _, e := range g.Jobs {
			w := a.newWork(groups, g, e)
			a.works[e.Index] = w
			all = append(all, w)
		}
	}
	for _, set := range joinTypes(groups, all) {
		works := slices.DeleteFunc(slices.Clone(all), func(w *elasticWork) bool { return !slices.Contains(set, w.homes[0].group) })
		valueWork(works, typePrices(set, works))
		if len(set) > 1 {
			moveJobs(set, works)
		}
	}
}

// mayMove reports whether a job of another type may have devices of the group.
func mayMove(g *sizing.Group, e *engine.Entry) bool {
	r := g.Round
	if !e.AcceptsType(g.GPUType) || !slices.Contains(r.FreePool.WholeGPUTypes(), g.GPUType) || e.UnplaceableReason != "" {
		return false
	}
	if e.Training != nil && len(e.Training.Rates) > 0 {
		if rate, known := e.Training.Rate(g.GPUType); !known || rate <= 0 {
			return false
		}
	}
	grant, wanted := e.Grant, e.WantedDeviceCount
	e.Grant, e.WantedDeviceCount = engine.Grant{HasLease: true, GPUType: g.GPUType}, e.MinGPUs
	fits := r.CheckEverFits(e) == nil && r.WindowError(e) == nil
	e.Grant, e.WantedDeviceCount = grant, wanted
	return fits
}

// joinTypes returns sets of types such that no job accepts types of two sets.
func joinTypes(groups []*sizing.Group, works []*elasticWork) [][]*sizing.Group {
	set := make(map[*sizing.Group]int, len(groups))
	for i, g := range groups {
		set[g] = i
	}
	for _, w := range works {
		for _, h := range w.homes[1:] {
			from, to := set[h.group], set[w.homes[0].group]
			for g, n := range set {
				if n == from {
					set[g] = to
				}
			}
		}
	}
	sets := make([][]*sizing.Group, len(groups))
	for _, g := range groups {
		sets[set[g]] = append(sets[set[g]], g)
	}
	return slices.DeleteFunc(sets, func(s []*sizing.Group) bool { return len(s) == 0 })
}

// typePrices says how many GPUs one of each type counts for: how much faster jobs that accept
// several types are on it than on the average of them, on average.
func typePrices(set []*sizing.Group, works []*elasticWork) map[*sizing.Group]float64 {
	prices, jobs := make(map[*sizing.Group]float64, len(set)), make(map[*sizing.Group]float64, len(set))
	for _, w := range works {
		if len(w.homes) < 2 {
			continue
		}
		mean := 0.
		for i := range w.homes {
			mean += w.homes[i].least() / float64(len(w.homes))
		}
		for i := range w.homes {
			prices[w.homes[i].group] += w.homes[i].least() / mean
			jobs[w.homes[i].group]++
		}
	}
	for _, g := range set {
		if prices[g] /= jobs[g]; !(prices[g] > 0) {
			prices[g] = 1
		}
	}
	return prices
}

// moveJobs chooses a type and a size for each job so that what is done is worth most, and moves
// the jobs to their types; sizes are chosen again with the nodes. Rigid jobs with a lease have theirs.
func moveJobs(set []*sizing.Group, works []*elasticWork) {
	p := choice.Problem{}
	for _, g := range set {
		p.Capacities = append(p.Capacities, g.Free())
	}
	works = slices.DeleteFunc(slices.Clone(works), func(w *elasticWork) bool {
		if w.isLeased {
			at := &p.Capacities[slices.Index(set, w.homes[0].group)]
			*at = max(*at-w.DeviceCount(), 0)
		}
		return w.isLeased
	})
	sizes := 0
	for _, w := range works {
		for i := range w.homes {
			sizes += len(w.homes[i].sizes)
		}
	}
	for _, w := range works {
		p.Items = append(p.Items, w.choices(set, sizes > mostChoices))
	}
	for i, o := range p.Minimize().Chosen {
		if w := works[i]; o >= 0 {
			w.homes[0].group.Move(w.Entry, set[p.Items[i].Options[o].Resource])
		}
	}
}

// mostChoices bounds for how many sizes of all jobs every one is looked at.
const mostChoices = 4096

// choices are the types and sizes a job may have, those worth most being the cheapest; where there
// are many, sizes that are powers of two or whole nodes.
func (w *elasticWork) choices(set []*sizing.Group, areMany bool) choice.Item {
	var it choice.Item
	change := w.restartFactor()
	for i := range w.homes {
		h := &w.homes[i]
		for k, n := range h.sizes {
			stays := w.HoldsGPUs() && n == w.On.Count() && h.group.GPUType == w.On.FirstType()
			if areMany && k > 0 && n&(n-1) != 0 && n%h.group.MostOnNode != 0 && !stays {
				continue
			}
			worth := w.worth * h.packed(n)
			if !stays {
				worth *= change
			}
			it.Options = append(it.Options, choice.Option{Resource: slices.Index(set, h.group), Amount: n, Cost: -worth})
		}
	}
	return it
}
