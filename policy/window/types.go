package window

import (
	"slices"

	"fairbridge/policy/engine"
	"fairbridge/policy/solve/market"
)

// typeWithJobs is a type of GPU and the jobs that compete for it.
type typeWithJobs struct {
	typeName   string
	isWholeGPU bool // not slices of GPUs
	gpuCount   int
	jobs       []*engine.Entry
	jobIndexes []int // where they stand among all
}

func (t *typeWithJobs) matchesType(name string) bool {
	return name == t.typeName || name == "" && t.isWholeGPU
}

// groupJobsByType sends each job to the GPU type it asks for. One that takes any stays
// where it runs, goes where the market sends it if it knows how fast it is on
// each type, or else where fewest GPUs are asked for per GPU so far.
func groupJobsByType(r *engine.Round, jobs []*engine.Entry) []typeWithJobs {
	types := grantableTypes(r)
	asked := make([]int, len(types))
	chosen := chooseTypeOfJobs(types, jobs)
	for i, e := range jobs {
		at := chosen[i]
		for k := range types {
			switch {
			case at == chosen[i] && at >= 0 || !types[k].matchesType(e.Ask.GPUs.Type):
			case at < 0 || (asked[k]+e.DeviceCount())*types[at].gpuCount < (asked[at]+e.DeviceCount())*types[k].gpuCount:
				at = k
			}
		}
		if at < 0 {
			continue // no type suits it
		}
		asked[at] += e.DeviceCount()
		types[at].jobs, types[at].jobIndexes = append(types[at].jobs, e), append(types[at].jobIndexes, i)
	}
	return types
}

// chooseTypeOfJobs says on which types jobs belong that take any: where they run, or by
// a market in which all have as much money on the one they buy most of; -1: it
// cannot say.
func chooseTypeOfJobs(types []typeWithJobs, jobs []*engine.Entry) []int {
	chosen := make([]int, len(jobs))
	var buyers []int
	var worth [][]float64
	for i, e := range jobs {
		chosen[i] = -1
		if e.Ask.GPUs.Type != "" || len(types) < 2 {
			continue
		}
		if chosen[i] = indexOfHeldType(types, e); chosen[i] < 0 && e.Training != nil && len(e.Training.Rates) > 1 {
			buyers, worth = append(buyers, i), append(worth, worthByType(types, e))
		}
	}
	if len(buyers) == 0 {
		return chosen
	}
	budgets := make([]float64, len(buyers))
	for n := range budgets {
		budgets[n] = 1
	}
	shares, _ := market.SolveFisherMarket(budgets, worth, 1e-2)
	for n, i := range buyers {
		for k := range types {
			if shares[n][k] > 0 && (chosen[i] < 0 || worth[n][k]*shares[n][k] > worth[n][chosen[i]]*shares[n][chosen[i]]) {
				chosen[i] = k
			}
		}
	}
	return chosen
}

// indexOfHeldType is the type of the GPUs the job holds; -1: none.
func indexOfHeldType(types []typeWithJobs, e *engine.Entry) int {
	if len(e.On) == 0 {
		return -1
	}
	return slices.IndexFunc(types, func(t typeWithJobs) bool { return t.typeName == e.On.FirstType() })
}

// worthByType says what all GPUs of each type are worth to the job.
func worthByType(types []typeWithJobs, e *engine.Entry) []float64 {
	worth := make([]float64, len(types))
	for k := range types {
		if rate, ok := e.Training.Rate(types[k].typeName); ok && types[k].isWholeGPU {
			worth[k] = rate * float64(types[k].gpuCount)
		}
	}
	return worth
}

// grantableTypes returns the GPUs of each type that may be granted, in order of
// nodes and types.
func grantableTypes(r *engine.Round) []typeWithJobs {
	var types []typeWithJobs
	for _, c := range r.ListCapacities(func(e *engine.Entry) bool { return isPlannable(r, e) }) {
		types = append(types, typeWithJobs{typeName: c.GPUType, isWholeGPU: !c.IsSlice, gpuCount: c.Grantable()})
	}
	return types
}
