package inventory

import (
	"math/bits"
	"slices"
	"strings"
)

// Node is a machine with what is taken of it.
type Node struct {
	NodeConfig
	Index      int      // in Inventory.Nodes
	Partitions []string // by name, in order of configuration
	Used       Used
	Down       string // why it is down; "": up
	Drain      string // why it drains; "": it does not
}

// Used is what jobs have of a node.
type Used struct {
	Devices   [MaxTypes]uint64 // by type and index
	CPUs      int
	MemMB     int64
	Jobs      int
	Exclusive int // those of the jobs that have the node to themselves
}

// Room is what is free on a node.
type Room struct {
	GPUs  [MaxTypes]int // by type
	CPUs  int
	MemMB int64
	Jobs  int // 0: empty, which exclusive jobs want
}

// Room returns what is free on the node now.
func (n *Node) Room() Room {
	r := Room{CPUs: n.CPUs - n.Used.CPUs, MemMB: n.MemMB - n.Used.MemMB, Jobs: n.Used.Jobs}
	for i, g := range n.GPUs {
		r.GPUs[i] = g.Count - bits.OnesCount64(n.Used.Devices[i])
	}
	if n.Used.Exclusive > 0 {
		r.CPUs = 0
	}
	return r
}

// IsUp reports whether new jobs may start.
func (n *Node) IsUp() bool { return n.Down == "" && n.Drain == "" }

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
	Node  *Node
	Type  int // index of the GPU type; -1: no GPUs
	GPUs  int
	CPUs  int
	MemMB int64
	Mask  uint64 // the devices, once taken
	All   bool   // exclusive
}

// Slots is what a job takes in all.
type Slots []Slot

// Allocate gives every slot the lowest free devices of its node.
func (s Slots) Allocate() {
	for i := range s {
		s[i].allocate()
	}
}

// Release gives back what Take took.
func (s Slots) Release() {
	for i := range s {
		s[i].release()
	}
}

func (s *Slot) allocate() {
	u := &s.Node.Used
	if s.Type >= 0 {
		for i, left := 0, s.GPUs; left > 0; i++ {
			if u.Devices[s.Type]&(1<<i) == 0 {
				s.Mask |= 1 << i
				left--
			}
		}
		u.Devices[s.Type] |= s.Mask
	}
	u.CPUs += s.CPUs
	u.MemMB += s.MemMB
	u.Jobs++
	if s.All {
		u.Exclusive++
	}
}

func (s *Slot) release() {
	u := &s.Node.Used
	if s.Type >= 0 {
		u.Devices[s.Type] &^= s.Mask
	}
	u.CPUs -= s.CPUs
	u.MemMB -= s.MemMB
	u.Jobs--
	if s.All {
		u.Exclusive--
	}
}

// UsesNode reports whether a slot is on the node.
func (s Slots) UsesNode(n *Node) bool {
	return slices.ContainsFunc(s, func(x Slot) bool { return x.Node == n })
}

// GPUs returns how many GPUs the slots have in all, and their type: the last
// one's where they differ.
func (s Slots) GPUs() (gpuType string, n int) {
	for i := range s {
		if x := &s[i]; x.Type >= 0 {
			gpuType, n = x.Node.GPUs[x.Type].Type, n+x.GPUs
		}
	}
	return gpuType, n
}

// Nodes returns the names of the slots' nodes.
func (s Slots) Nodes() []string {
	out := make([]string, len(s))
	for i := range s {
		out[i] = s[i].Node.Name
	}
	return out
}
