package shares

import (
	"cmp"
	"slices"
	"strings"

	"fairbridge/bridge/slurm"
)

// ShardsPerGPU returns of how many shards every GPU of the type consists on the node; 0 where it offers none, or
// where the GPU that Slurm chooses for a job with so many could be one of another type or of another number of
// shards: a request for shards names neither.
func ShardsPerGPU(n *slurm.Node, gpuType string) int {
	gpus, shards := countOfType(n, "shard", gpuType)
	if gpus == 0 || shards == 0 || shards%gpus != 0 || !hasEvenPlaces(n.GresUsed.Text) {
		return 0
	}
	for _, g := range n.Gres.List {
		if other := cmp.Or(g.Type, slurm.UntypedGPU); g.Name == "gpu" && other != gpuType {
			if _, of := countOfType(n, "shard", other); of > 0 {
				return 0
			}
		}
	}
	return shards / gpus
}

// hasEvenPlaces reports whether what Slurm shows of the shards that are given out, such as
// "shard:a100:6(0/4,4/4,2/4,0/4)", is of as many for each GPU. 22.05 does not show it.
func hasEvenPlaces(gresUsed string) bool {
	for item := range strings.SplitSeq(gresUsed, ")") {
		name, places, _ := strings.Cut(item, "(")
		if !strings.HasPrefix(strings.TrimPrefix(name, ","), "shard:") {
			continue
		}
		var of []string
		for place := range strings.SplitSeq(places, ",") {
			if _, total, ok := strings.Cut(place, "/"); ok {
				of = append(of, total)
			}
		}
		if slices.Sort(of); len(slices.Compact(of)) > 1 {
			return false
		}
	}
	return true
}
