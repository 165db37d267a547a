package inventory

import (
	"cmp"
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

// nodeRun is a stretch of neighbouring nodes that all have room for a share of a job.
type nodeRun struct {
	rooms []nodeRoom
	cpus  int // free on all
}

// nodeRoom is a node with room, and its free CPUs.
type nodeRoom struct {
	*Node
	cpus int
}

// findTightestSlots chooses among the nodes that have room as Slurm does without a topology:
// of the stretches of neighbours that are long enough the one with the fewest free CPUs, from
// its beginning; a single node is the one of it with the fewest free CPUs. Where none is
// long enough the one with most free CPUs is used up, and so on.
func (a Request) findTightestSlots(list []*Node, free func(*Node) FreeResources) Slots {
	runs, count := a.listNodeRuns(list, free)
	if count < a.MinNodes {
		return nil
	}
	out := make(Slots, 0, a.MinNodes)
	for len(out) < a.MinNodes {
		left := a.MinNodes - len(out)
		i := pickNodeRun(runs, left)
		rooms := runs[i].rooms
		switch {
		case left == 1:
			rooms = []nodeRoom{slices.MinFunc(rooms, func(x, y nodeRoom) int { return cmp.Compare(x.cpus, y.cpus) })}
		case len(rooms) > left:
			rooms = rooms[:left]
		}
		for _, r := range rooms {
			s, _ := a.NewSlot(r.Node, free(r.Node), a.GPUsPerNode)
			out = append(out, s)
		}
		runs = slices.Delete(runs, i, i+1)
	}
	return sortedByNode(out)
}

// listNodeRuns lists the stretches of nodes with room, and how many nodes they are.
func (a Request) listNodeRuns(list []*Node, free func(*Node) FreeResources) (runs []nodeRun, count int) {
	rooms := make([]nodeRoom, 0, len(list))
	for _, n := range list {
		r := free(n)
		if _, ok := a.NewSlot(n, r, a.GPUsPerNode); !ok {
			continue
		}
		if len(rooms) == 0 || n.Index != rooms[len(rooms)-1].Index+1 {
			runs = append(runs, nodeRun{rooms: rooms[len(rooms):]})
		}
		rooms = append(rooms, nodeRoom{n, r.CPUs})
		run := &runs[len(runs)-1]
		run.rooms, run.cpus = run.rooms[:len(run.rooms)+1], run.cpus+r.CPUs
	}
	return runs, len(rooms)
}

// pickNodeRun returns the index of the stretch to be used next for so many nodes.
func pickNodeRun(runs []nodeRun, nodes int) int {
	best := 0
	for i := 1; i < len(runs); i++ {
		is, was := len(runs[i].rooms) >= nodes, len(runs[best].rooms) >= nodes
		if is && (!was || runs[i].cpus < runs[best].cpus) || !is && !was && runs[i].cpus > runs[best].cpus {
			best = i
		}
	}
	return best
}

func sortedByNode(s Slots) Slots {
	slices.SortFunc(s, func(x, y Slot) int { return cmp.Compare(x.Node.Index, y.Node.Index) })
	return s
}
