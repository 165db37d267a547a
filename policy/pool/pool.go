package pool

import (
	"slices"
	"time"

	"fairbridge/policy"
)

// Pool is what is free: devices by node and type, cores and memory by node. A device that several
// jobs share is held once, where it is known which devices they have.
// Every change is written to an undo log, so a stage may try something and
// Rewind. A Pool is not safe for concurrent use.
type Pool struct {
	nodes           []hostNode
	nodeIndexByName map[string]int // node name to its place in nodes
	totals          freeTotals
	nodesWithFree   bitset // the nodes on which something is free
	undoLog         []poolChange
	scratchRooms    []Room          // see fitType
	startTime       time.Time       // when what is placed begins; zero: windows do not count
	windowStarts    []time.Duration // see listWindowStarts
}

// New returns what is free in the snapshot: healthy devices less what
// running and suspended jobs hold.
func New(s *policy.Snapshot) *Pool {
	p := &Pool{nodes: make([]hostNode, len(s.Nodes)), nodeIndexByName: make(map[string]int, len(s.Nodes)), startTime: s.Now, windowStarts: listWindowStarts(s), nodesWithFree: newBitset(len(s.Nodes))}
	sum := 0
	for i := range s.Nodes {
		n := &s.Nodes[i]
		p.nodeIndexByName[n.Name] = i
		p.nodes[i].Node = n
		for _, d := range n.GPUs {
			p.totals.addType(d)
		}
		sum += len(n.GPUs)
	}
	s.SortFastestFirst(nil, p.totals.wholeGPUTypes)
	p.freeHealthyDevices(make([]typeDevices, sum))
	for i := range s.Jobs {
		if j := &s.Jobs[i]; j.HoldsGPUs() {
			OverdrawHeld(p, j)
		}
	}
	p.undoLog = p.undoLog[:0]
	return p
}

// freeHealthyDevices makes every healthy device free, in rows for all nodes together.
func (p *Pool) freeHealthyDevices(rows []typeDevices) {
	for i := range p.nodes {
		h := &p.nodes[i]
		h.freeCPUs, h.freeMemMB, h.typeDevices = h.CPUs, h.MemMB, rows[:0:len(h.GPUs)]
		rows = rows[len(h.GPUs):]
		for _, d := range h.GPUs {
			h.typeDevices = append(h.typeDevices, typeDevices{gpuType: d.Type, isWholeGPU: d.IsWholeGPU()})
			p.applyChange(poolChange{nodeIndex: i, typeIndex: len(h.typeDevices) - 1, deviceCount: d.Count - d.SickCount})
		}
	}
}

// NewEmpty returns the healthy devices of the nodes as if no job ran at a moment.
// At the zero time none is set aside either: that could ever be given out.
func NewEmpty(nodes []policy.Node, at time.Time) *Pool {
	p := New(&policy.Snapshot{Nodes: nodes, Now: at})
	for i := range p.nodes {
		for _, o := range p.nodes[i].OtherUses {
			p.applyChange(poolChange{nodeIndex: i, typeIndex: -1, cpuCount: o.CPUs, memMB: o.MemMB})
		}
	}
	return p
}

// Clone returns an independent copy with an empty undo log.
func (p *Pool) Clone() *Pool {
	c := &Pool{nodes: slices.Clone(p.nodes), nodeIndexByName: p.nodeIndexByName, totals: p.totals.clone(), nodesWithFree: slices.Clone(p.nodesWithFree), startTime: p.startTime, windowStarts: p.windowStarts}
	for i := range c.nodes {
		c.nodes[i].typeDevices = slices.Clone(c.nodes[i].typeDevices)
		for k := range c.nodes[i].typeDevices {
			r := &c.nodes[i].typeDevices[k]
			r.jobsByDevice = slices.Clone(r.jobsByDevice)
		}
	}
	return c
}

// FreeOnNode returns the free devices of the type on the node, whether or not the
// node is up; type "" counts whole GPUs of every type. It is 0 for a node
// that is not known.
func (p *Pool) FreeOnNode(node, typ string) int {
	i, ok := p.nodeIndexByName[node]
	if !ok {
		return 0
	}
	return p.nodes[i].freeDevices(typ)
}

// IsOverdrawn reports whether jobs hold more devices of the type on the node
// than are healthy: they share some, or some fell sick under them.
func (p *Pool) IsOverdrawn(node, typ string) bool {
	i, ok := p.nodeIndexByName[node]
	if !ok {
		return false
	}
	r := p.nodes[i].indexOfType(typ)
	return r >= 0 && p.nodes[i].typeDevices[r].freeDevices < 0
}

// TotalFree returns the free devices of the type on all nodes that are up; type ""
// counts every whole GPU.
func (p *Pool) TotalFree(typ string) int {
	if typ == "" {
		return p.totals.freeWholeGPUs
	}
	if t := p.totals.findType(typ); t != nil {
		return t.freeDevices
	}
	return 0
}

// Take takes the devices, and the cores and memory of the whole allocation
// split over its nodes by devices. Nothing is taken on error.
func (p *Pool) Take(a policy.Alloc, cpus int, memMB int64) error {
	return take(p, a, cpus, memMB, false)
}

// GiveBack puts back what Take took with the same arguments, or what a running
// job holds. Slots of unknown nodes or types are passed over.
func (p *Pool) GiveBack(a policy.Alloc, cpus int, memMB int64) { p.applyAlloc(a, 1, cpus, memMB) }

// Overdraw takes the devices, cores and memory whether or not they are free.
func (p *Pool) Overdraw(a policy.Alloc, cpus int, memMB int64) { p.applyAlloc(a, -1, cpus, memMB) }

// GiveBackCPUsAndMemory gives back cores and memory of the node with the number in the
// snapshot.
func (p *Pool) GiveBackCPUsAndMemory(node, cpus int, memMB int64) {
	p.applyChange(poolChange{nodeIndex: node, typeIndex: -1, cpuCount: cpus, memMB: memMB})
}

// WholeGPUTypes returns the types that are whole GPUs, the fastest first. It is the
// Pool's own.
func (p *Pool) WholeGPUTypes() []string { return p.totals.wholeGPUTypes }

// HasType reports whether there are GPUs of the type, free or not.
func (p *Pool) HasType(typ string) bool { return p.totals.findType(typ) != nil }
