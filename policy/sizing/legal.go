package sizing

import (
	"slices"

	"fairbridge/policy/engine"
)

// Levels are the sizes a deadline scheduler chooses among: the powers of two in the job's range
// and what it asks, ascending; for a job whose size or speed on others is not known, what it holds or
// asks alone.
func Levels(e *engine.Entry) []int {
	if !HasRange(e) || !e.KnowsScaling() {
		return []int{e.DeviceCount()}
	}
	levels := []int{e.Ask.GPUs.Count}
	for n := 1; n <= e.MaxGPUs; n *= 2 {
		if n >= e.MinGPUs && n != e.Ask.GPUs.Count {
			levels = append(levels, n)
		}
	}
	slices.Sort(levels)
	return levels
}

// CutAtFastest leaves out the levels on which the job is no faster than on a smaller one.
func CutAtFastest(e *engine.Entry, levels []int) []int {
	best := 0.0
	return slices.DeleteFunc(slices.Clone(levels), func(n int) bool {
		speed := Speed(e, n)
		if speed <= best {
			return true
		}
		best = speed
		return false
	})
}
