package engine

import (
	"cmp"
	"slices"

	"fairbridge/policy"
)

// orderTypes returns the types of GPU to try for a job that takes any, in their
// order: the fastest for it first. A type that waiting jobs demand by name, and of
// which they leave it too few, comes after those that serve it as well. nil: as
// the pool has them.
func (f *finder) orderTypes(e *Entry) []string {
	whole := f.FreePool.WholeTypes()
	if len(whole) < 2 || e.Gang().GPUs.Type != "" {
		return nil
	}
	order := slices.Clone(whole)
	f.SortFastestFirst(e.Job, order)
	f.countTypeDemand()
	slices.SortStableFunc(order, func(a, b string) int { return cmp.Compare(f.scarcityFor(e, a), f.scarcityFor(e, b)) })
	return order
}

// scarcityFor is 1 where waiting jobs that demand the type leave too few for e.
func (f *finder) scarcityFor(e *Entry, gpuType string) int {
	if n := f.typeDemand[gpuType]; n > 0 && f.FreePool.TotalFree(gpuType)-n < e.WantedDevices {
		return 1
	}
	return 0
}

// countTypeDemand counts, by type, the devices that waiting jobs demand by name.
func (f *finder) countTypeDemand() {
	if f.typeDemand != nil {
		return
	}
	f.typeDemand = map[string]int{}
	for _, e := range f.line {
		if t := e.Ask.GPUs.Type; t != "" && e.WantedDevices > 0 && !e.HoldsGPUs() && e.verdict.verb != policy.Start && f.Startable(e) && f.CheckPossible(e) == nil {
			f.typeDemand[t] += e.WantedDevices
		}
	}
}

// subtractDemand takes a job that starts off the demand.
func (f *finder) subtractDemand(e *Entry) {
	if f.typeDemand != nil {
		f.typeDemand[e.Ask.GPUs.Type] -= e.WantedDevices
	}
}
