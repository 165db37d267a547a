package inventory

import (
	"fmt"
	"math/bits"
	"strings"
)

// Shards are parts of GPUs, which Slurm counts and does not fence (docs/sharing.md). A GPU of which shards are given out is given
// to no job as a whole, and one that a job has as a whole gives none out. All shards of a job on a node are of one GPU.

// firstOfType is the index of the first GPU of a type among all of the node.
func (n *Node) firstOfType(typeIndex int) int {
	first := 0
	for _, g := range n.GPUs[:typeIndex] {
		first += g.Count
	}
	return first
}

// givenShards returns how many shards of a GPU are given out.
func (n *Node) givenShards(typeIndex, device int) int {
	at := n.firstOfType(typeIndex) + device
	if at >= len(n.Usage.GivenShards) {
		return 0
	}
	return int(n.Usage.GivenShards[at])
}

// addShards gives so many shards of a GPU out, or takes them back (below 0).
func (n *Node) addShards(typeIndex, device, count int) {
	last := n.firstOfType(len(n.GPUs))
	given := make([]byte, last)
	copy(given, n.Usage.GivenShards)
	given[n.firstOfType(typeIndex)+device] += byte(count)
	if n.Usage.GivenShards = string(given); strings.Trim(n.Usage.GivenShards, "\x00") == "" {
		n.Usage.GivenShards = ""
	}
}

// sharedMask returns the GPUs of a type of which shards are given out.
func (n *Node) sharedMask(typeIndex int) (mask uint64) {
	for i := 0; n.Usage.GivenShards != "" && i < n.GPUs[typeIndex].Count; i++ {
		if n.givenShards(typeIndex, i) > 0 {
			mask |= 1 << i
		}
	}
	return mask
}

// mostShards returns how many shards one GPU of a type can give out.
func (n *Node) mostShards(typeIndex int) int {
	if device := n.chooseSharedGPU(typeIndex, 1, true); device >= 0 {
		return n.ShardsPerGPU - n.givenShards(typeIndex, device)
	}
	return 0
}

// chooseSharedGPU returns the GPU that gives so many shards out, -1 where none can: the first of which some are given out already,
// else the first; or the one with most left, which LL_SHARED_GRES chooses.
func (n *Node) chooseSharedGPU(typeIndex, shards int, mostLeft bool) int {
	best, left := -1, -1
	for i := range n.GPUs[typeIndex].Count {
		given := n.givenShards(typeIndex, i)
		free := n.ShardsPerGPU - given
		switch {
		case n.Usage.DeviceMasks[typeIndex]&(1<<i) != 0 || free < shards || n.ShardsPerGPU == 0:
		case mostLeft && free > left, !mostLeft && (best < 0 || given > 0 && n.givenShards(typeIndex, best) == 0):
			best, left = i, free
		}
	}
	return best
}

// newSharedSlot makes the slot for so many shards of one GPU of a node, if it has room.
func (a Request) newSharedSlot(s Slot, n *Node, r FreeResources) (Slot, bool) {
	for i, g := range n.GPUs {
		if (a.GPUType == "" || a.GPUType == g.Type) && r.ShardsByType[i] >= a.Shards {
			s.TypeIndex, s.Shards = i, a.Shards
			return s, true
		}
	}
	return s, false
}

// formatShards lists the shards of each type of GPU as gres has them; "" where the node gives none out.
func (n *Node) formatShards() string {
	out := ""
	for _, g := range n.GPUs {
		if n.ShardsPerGPU > 0 {
			out += fmt.Sprintf(",shard:%s:%d", g.Type, n.ShardsPerGPU*g.Count)
		}
	}
	return out
}

// formatUsedShards lists those given out, GPU by GPU, as gres_used of 24.11 has them.
func (n *Node) formatUsedShards() string {
	out := ""
	for i, g := range n.GPUs {
		if n.ShardsPerGPU == 0 {
			continue
		}
		var places []string
		sum := 0
		for k := range g.Count {
			sum += n.givenShards(i, k)
			places = append(places, fmt.Sprintf("%d/%d", n.givenShards(i, k), n.ShardsPerGPU))
		}
		out += fmt.Sprintf(",shard:%s:%d(%s)", g.Type, sum, strings.Join(places, ","))
	}
	return out
}

// formatShardDetail is gres_detail of a slot of shards: a place for each GPU of the node.
func (s *Slot) formatShardDetail() string {
	at := s.Node.firstOfType(s.TypeIndex) + bits.TrailingZeros64(s.DeviceMask)
	var places []string
	for i := range s.Node.firstOfType(len(s.Node.GPUs)) {
		count := 0
		if i == at {
			count = s.Shards
		}
		places = append(places, fmt.Sprintf("%d/%d", count, s.Node.ShardsPerGPU))
	}
	return fmt.Sprintf("shard:%d(%s)", s.Shards, strings.Join(places, ","))
}

// BusyGPUs returns on how many GPUs the job computes, those of which it has shards included.
func (s Slots) BusyGPUs() (gpuType string, n int) {
	gpuType, n = s.GPUTypeAndCount()
	for i := range s {
		if s[i].Shards > 0 {
			n++
		}
	}
	return gpuType, n
}

// AreFree reports whether the nodes that give shards out have what the slots take: a plan ahead counts, and does not know which
// GPU of a node gives which shards.
func (s Slots) AreFree() bool {
	for i := range s {
		x := &s[i]
		if x.TypeIndex < 0 || x.Node.ShardsPerGPU == 0 {
			continue
		}
		if r := x.Node.FreeResources(); r.GPUsByType[x.TypeIndex] < x.GPUs || r.ShardsByType[x.TypeIndex] < x.Shards {
			return false
		}
	}
	return true
}
