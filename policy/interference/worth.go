package interference

import "math"

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
