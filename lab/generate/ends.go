package generate

import (
	"math/rand/v2"

	"fairbridge/replica/workload"
)

// endSharesBySize are the shares of jobs that complete, are cancelled and fail, by GPUs:
// 1, 2, 4, 8, 16, 32, 64 and more (Helios).
var endSharesBySize = [7][3]float64{
	{.67, .18, .15}, {.41, .32, .27}, {.58, .19, .23}, {.55, .29, .16}, {.43, .46, .11}, {.44, .41, .15}, {.21, .69, .10},
}

var possibleJobEnds = [3]workload.JobEnd{workload.Completed, workload.Cancelled, workload.Failed}

// sizeBin returns the index of the smallest power of two that holds the GPUs, at
// most the last one of n.
func sizeBin(gpus, n int) int {
	i := 0
	for i < n-1 && 1<<i < gpus {
		i++
	}
	return i
}

// drawJobEndForSize draws how a job ends.
func drawJobEndForSize(r *rand.Rand, gpus int) workload.JobEnd {
	return possibleJobEnds[pickIndex(r, endSharesBySize[sizeBin(gpus, len(endSharesBySize))][:])]
}
