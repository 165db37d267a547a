package inventory

import (
	"math/bits"
	"slices"
	"strings"
)

// Node is a machine with what is taken of it.
type Node struct {
	NodeConfig
	Index       int      // in Inventory.Nodes
	Partitions  []string // by name, in order of configuration
	Usage       NodeUsage
	DownReason  string // why it is down; "": up
	DrainReason string // why it drains; "": it does not

	shown *nodeTexts // as it was last shown; nil: never
}

// NodeUsage is what jobs have of a node.
type NodeUsage struct {
	DeviceMasks       [MaxGPUTypes]uint64 // by type and index, of those that are given out as a whole
	GivenShards       string              // a byte for each GPU; "": none are given out
	CPUs              int
	MemMB             int64
	JobCount          int
	ExclusiveJobCount int // those of the jobs that have the node to themselves
}

// FreeResources is what is free on a node.
type FreeResources struct {
	GPUsByType   [MaxGPUTypes]int // by type
	ShardsByType [MaxGPUTypes]int // by type: the most that one GPU has left
	CPUs         int
	MemMB        int64
	JobCount     int // 0: empty, which exclusive jobs want
}

// FreeResources returns what is free on the node now.
func (n *Node) FreeResources() FreeResources {
	r := FreeResources{CPUs: n.CPUs - n.Usage.CPUs, MemMB: n.MemMB - n.Usage.MemMB, JobCount: n.Usage.JobCount}
	for i, g := range n.GPUs {
		r.GPUsByType[i] = g.Count - bits.OnesCount64(n.Usage.DeviceMasks[i]|n.sharedMask(i))
		if n.ShardsPerGPU > 0 {
			r.ShardsByType[i] = n.mostShards(i)
		}
	}
	if n.Usage.ExclusiveJobCount > 0 {
		r.CPUs = 0
	}
	return r
}

// IsUp reports whether new jobs may start.
func (n *Node) IsUp() bool { return n.DownReason == "" && n.DrainReason == "" }

// HasFeatures reports whether the node has all features of "a&b".
func (n *Node) HasFeatures(features string) bool {
	if features == "" {
		return true
	}
	for _, f := range strings.FieldsFunc(features, func(r rune) bool { return r == '&' || r == ',' }) {
		if !slices.Contains(n.Features, f) {
			return false
		}
	}
	return true
}

// Slot is what a job takes on one node.
type Slot struct {
	Node        *Node
	TypeIndex   int // index of the GPU type; -1: no GPUs
	GPUs        int
	Shards      int // of one GPU
	CPUs        int
	MemMB       int64
	DeviceMask  uint64 // the devices, once taken
	IsExclusive bool   // exclusive
}

// Slots is what a job takes in all.
type Slots []Slot

// Allocate gives every slot the lowest free devices of its node.
func (s Slots) Allocate() {
	for i := range s {
		s[i].allocate()
	}
}

// Release gives back what Allocate took.
func (s Slots) Release() {
	for i := range s {
		s[i].release()
	}
}

func (s *Slot) allocate() {
	u := &s.Node.Usage
	switch {
	case s.Shards > 0:
		device := s.Node.chooseSharedGPU(s.TypeIndex, s.Shards, s.Node.SpreadsShards)
		s.DeviceMask = 1 << device
		s.Node.addShards(s.TypeIndex, device, s.Shards)
	case s.TypeIndex >= 0:
		taken := u.DeviceMasks[s.TypeIndex] | s.Node.sharedMask(s.TypeIndex)
		for i, left := 0, s.GPUs; left > 0; i++ {
			if taken&(1<<i) == 0 {
				s.DeviceMask |= 1 << i
				left--
			}
		}
		u.DeviceMasks[s.TypeIndex] |= s.DeviceMask
	}
	u.CPUs += s.CPUs
	u.MemMB += s.MemMB
	u.JobCount++
	if s.IsExclusive {
		u.ExclusiveJobCount++
	}
}

func (s *Slot) release() {
	u := &s.Node.Usage
	switch {
	case s.Shards > 0:
		s.Node.addShards(s.TypeIndex, bits.TrailingZeros64(s.DeviceMask), -s.Shards)
	case s.TypeIndex >= 0:
		u.DeviceMasks[s.TypeIndex] &^= s.DeviceMask
	}
	u.CPUs -= s.CPUs
	u.MemMB -= s.MemMB
	u.JobCount--
	if s.IsExclusive {
		u.ExclusiveJobCount--
	}
}

// UsesNode reports whether a slot is on the node.
func (s Slots) UsesNode(n *Node) bool {
	return slices.ContainsFunc(s, func(x Slot) bool { return x.Node == n })
}

// GPUTypeAndCount returns how many GPUs the slots have in all, and their type: the last
// one's where they differ.
func (s Slots) GPUTypeAndCount() (gpuType string, n int) {
	for i := range s {
		if x := &s[i]; x.TypeIndex >= 0 {
			gpuType, n = x.Node.GPUs[x.TypeIndex].Type, n+x.GPUs
		}
	}
	return gpuType, n
}

// NodeNames returns the names of the slots' nodes.
func (s Slots) NodeNames() []string {
	out := make([]string, len(s))
	for i := range s {
		out[i] = s[i].Node.Name
	}
	return out
}
