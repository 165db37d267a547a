package assign

import (
	"slices"
)

// RunOnFirstFree lets a job run for so many seconds on the machines that are free
// first, width of them at once, and returns when it ends. free are the times at
// which the machines are free, ascending before and after.
func RunOnFirstFree(free []float64, width int, seconds float64) (end float64) {
	end = free[width-1] + seconds
	before, _ := slices.BinarySearch(free[width:], end)
	copy(free, free[width:width+before])
	for i := range width {
		free[before+i] = end
	}
	return end
}
