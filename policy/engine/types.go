package engine

import (
	"cmp"
	"slices"

	"fairbridge/policy"
)

// orderGPUTypes returns the types of GPU to try for a job that takes any, in their
// order: the fastest for it first. A type that waiting jobs demand by name, and of
// which they leave it too few, comes after those that serve it as well. nil: as
// the pool has them.
func (f *deviceFinder) orderGPUTypes(e *Entry) []string {
	whole := f.FreePool.WholeGPUTypes()
	if len(whole) < 2 || e.GangAsk().GPUs.Type != "" {
		return nil
	}
	order := slices.Clone(whole)
	f.SortFastestFirst(e.Job, order)
	f.countTypeDemand()
	slices.SortStableFunc(order, func(a, b string) int { return cmp.Compare(f.scarcityRank(e, a), f.scarcityRank(e, b)) })
	return order
}

// scarcityRank is 1 where waiting jobs that demand the type leave too few for e.
func (f *deviceFinder) scarcityRank(e *Entry, gpuType string) int {
	if n := f.demandByType[gpuType]; n > 0 && f.FreePool.TotalFree(gpuType)-n < e.WantedDeviceCount {
		return 1
	}
	return 0
}

// countTypeDemand counts, by type, the devices that waiting jobs demand by name.
func (f *deviceFinder) countTypeDemand() {
	if f.demandByType != nil {
		return
	}
	f.demandByType = map[string]int{}
	for _, e := range f.entryLine {
		if t := e.Ask.GPUs.Type; t != "" && e.WantedDeviceCount > 0 && !e.HoldsGPUs() && e.verdict.verb != policy.Start && f.MayRun(e) && f.CheckEverFits(e) == nil {
			f.demandByType[t] += e.WantedDeviceCount
		}
	}
}

// subtractDemand takes a job that starts off the demand.
func (f *deviceFinder) subtractDemand(e *Entry) {
	if f.demandByType != nil {
		f.demandByType[e.Ask.GPUs.Type] -= e.WantedDeviceCount
	}
}
