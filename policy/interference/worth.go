package interference

import "math"

// Worth returns the seconds that are won where a job shares GPUs instead of waiting for
// some of its own, less those lost: it would have waited so many, at the mean speed of all that
// share, and all are slower while they are together. Above 0 it pays.
func Worth(speeds []float64, waitSeconds, togetherSeconds float64) float64 {
	sum := 0.0
	for _, s := range speeds {
		sum += s
	}
	n := float64(len(speeds))
	return waitSeconds*sum/n - togetherSeconds*(n-sum)
}

// shardTarget is the share of a GPU that a job of a class is given at least.
var shardTarget = [...]float64{Tiny: .25, Medium: .5}

// Shards returns how many of the shards of a GPU a job of a class gets, by the memory it uses
// there and what the GPU has, of which marginMB stay free: all where it should have the GPU
// alone, and where its memory or the GPU's is not known (0).
func Shards(c Class, memMB, gpuMemMB, marginMB int64, shardsPerGPU int) int {
	if c != Tiny && c != Medium || memMB <= 0 || gpuMemMB <= marginMB {
		return shardsPerGPU
	}
	share := max(float64(memMB)/float64(gpuMemMB-marginMB), shardTarget[c])
	return max(min(int(math.Ceil(float64(shardsPerGPU)*share-1e-9)), shardsPerGPU), 1)
}
