package admission

import (
	"fairbridge/policy/engine"
	"fairbridge/policy/solve/leases"
)

// PromisedEntries are the jobs that were promised their deadlines, by deadline.
func (p *Planner) PromisedEntries() []*engine.Entry {
	all := make([]*engine.Entry, len(p.Promised))
	for i, j := range p.Promised {
		all[i] = j.Entry
	}
	return all
}

// PromisedPart is how much of the device time until some deadline is promised at most, 0 to 1: where it is near 1, hardly any other
// can be promised its own.
func (p *Planner) PromisedPart() float64 {
	most := 0.0
	for k := range p.Kinds {
		promised, at := 0.0, 0.0
		for _, j := range p.Promised {
			if j.Kind != k {
				continue
			}
			promised += float64(j.Devices) * leases.RunTime(j.Spans, p.elapsed, j.demand.Deadline)
			if at = j.demand.Deadline; at > p.elapsed {
				most = max(most, promised/max(p.Kinds[k].All.Until(p.elapsed, at), 1))
			}
		}
	}
	return min(most, 1)
}
