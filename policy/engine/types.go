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
	if f.demandByType == nil {
		f.demandByType = f.CountTypeDemand(f.entryLine)
	}
	return f.OrderGPUTypes(e, f.demandByType)
}

// OrderGPUTypes returns all types of whole GPUs in the order in which a job that takes any would
// best have them: the fastest for it first, those of which a demand leaves it too few last.
func (r *Round) OrderGPUTypes(e *Entry, demand map[string]int) []string {
	order := slices.Clone(r.FreePool.WholeGPUTypes())
	r.SortFastestFirst(e.Job, order)
	scarcity := func(gpuType string) int {
		if n := demand[gpuType]; n > 0 && r.FreePool.TotalFree(gpuType)-n < e.WantedDeviceCount {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(order, func(a, b string) int { return cmp.Compare(scarcity(a), scarcity(b)) })
	return order
}

// CountTypeDemand counts, by type, the devices (Entry.WantedDeviceCount) that waiting jobs of the
// line that could start demand by name.
func (r *Round) CountTypeDemand(line []*Entry) map[string]int {
	demand := map[string]int{}
	for _, e := range line {
		if t := e.Ask.GPUs.Type; t != "" && e.WantedDeviceCount > 0 && !e.HoldsGPUs() && e.verdict.verb != policy.Start && r.MayRun(e) && r.CheckEverFits(e) == nil {
			demand[t] += e.WantedDeviceCount
		}
	}
	return demand
}

// subtractDemand takes a job that starts off the demand.
func (f *deviceFinder) subtractDemand(e *Entry) {
	if f.demandByType != nil {
		f.demandByType[e.Ask.GPUs.Type] -= e.WantedDeviceCount
	}
}
