package engine

import (
	"cmp"
	"slices"

	"fairbridge/policy"
)

// types returns the types of GPU to try for a job that takes any, in their
// order: the fastest for it first. A type that waiting jobs demand by name, and of
// which they leave it too few, comes after those that serve it as well. nil: as
// the pool has them.
func (f *finder) types(e *Entry) []string {
	whole := f.Free.WholeTypes()
	if len(whole) < 2 || e.Gang().GPUs.Type != "" {
		return nil
	}
	order := slices.Clone(whole)
	f.Fastest(e.Job, order)
	f.countTypeDemand()
	slices.SortStableFunc(order, func(a, b string) int { return cmp.Compare(f.scarce(e, a), f.scarce(e, b)) })
	return order
}

// scarce is 1 where waiting jobs that demand the type leave too few for e.
func (f *finder) scarce(e *Entry, gpuType string) int {
	if n := f.typeDemand[gpuType]; n > 0 && f.Free.TotalFree(gpuType)-n < e.Want {
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
		if t := e.Ask.GPUs.Type; t != "" && e.Want > 0 && !e.Active() && e.verdict.verb != policy.Start && f.Startable(e) && f.Possible(e) == nil {
			f.typeDemand[t] += e.Want
		}
	}
}

// started takes a job that starts off the demand.
func (f *finder) started(e *Entry) {
	if f.typeDemand != nil {
		f.typeDemand[e.Ask.GPUs.Type] -= e.Want
	}
}
