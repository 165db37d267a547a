// Package pool keeps what is free of a cluster, and finds room in it for gangs.
package pool

import (
	"math/bits"
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

// freeTotals are the free devices on all nodes that are up.
type freeTotals struct {
	typeTotals    []freeOfType
	freeWholeGPUs int      // free whole GPUs of all types
	wholeGPUTypes []string // that are whole GPUs, the fastest first
}

type freeOfType struct {
	gpuType     string
	freeDevices int
}

// addType adds the type of the devices.
func (t *freeTotals) addType(d policy.NodeDevices) {
	if t.findType(d.Type) == nil {
		t.typeTotals = append(t.typeTotals, freeOfType{gpuType: d.Type})
	}
	if d.IsWholeGPU() && !slices.Contains(t.wholeGPUTypes, d.Type) {
		t.wholeGPUTypes = append(t.wholeGPUTypes, d.Type)
	}
}

// findType returns that of a type; nil: there are no such GPUs.
func (t *freeTotals) findType(gpuType string) *freeOfType {
	for i := range t.typeTotals {
		if t.typeTotals[i].gpuType == gpuType {
			return &t.typeTotals[i]
		}
	}
	return nil
}

// addFreeDevices counts more free devices of the row.
func (t *freeTotals) addFreeDevices(r *typeDevices, devices int) {
	t.findType(r.gpuType).freeDevices += devices
	if r.isWholeGPU {
		t.freeWholeGPUs += devices
	}
}

func (t freeTotals) clone() freeTotals {
	t.typeTotals = slices.Clone(t.typeTotals)
	return t
}

// bitset is a set of small numbers.
type bitset []uint64

func newBitset(size int) bitset { return make(bitset, (size+63)/64) }

// set puts the number in, or takes it out.
func (b bitset) set(i int, in bool) {
	if bit := uint64(1) << (i % 64); in {
		b[i/64] |= bit
	} else {
		b[i/64] &^= bit
	}
}

// nextFrom returns the first number from i on that is in; -1: none is.
func (b bitset) nextFrom(i int) int {
	for w := i / 64; w < len(b); w++ {
		word := b[w]
		if w == i/64 {
			word &= ^uint64(0) << (i % 64)
		}
		if word != 0 {
			return w*64 + bits.TrailingZeros64(word)
		}
	}
	return -1
}

// TakeHeld takes again what a running job holds: its devices with its cores and memory.
func TakeHeld(p *Pool, j *policy.Job) error {
	has := j.HeldAmounts()
	return p.Take(j.On, has.CPUs, has.MemMB)
}

// TakeHeldAgain is TakeHeld on devices that the job may share with others.
func TakeHeldAgain(p *Pool, j *policy.Job) error {
	has := j.HeldAmounts()
	return TakeAgain(p, j.On, has.CPUs, has.MemMB)
}

// GiveBackHeld puts back what a running job holds.
func GiveBackHeld(p *Pool, j *policy.Job) {
	has := j.HeldAmounts()
	p.GiveBack(j.On, has.CPUs, has.MemMB)
}

// OverdrawHeld takes what a running job holds whether or not it is free.
func OverdrawHeld(p *Pool, j *policy.Job) {
	has := j.HeldAmounts()
	p.Overdraw(j.On, has.CPUs, has.MemMB)
}

// FreeAmounts returns the free cores and memory of the node; negative where more are held than there are. Of
// a node that is not known it returns none.
func FreeAmounts(p *Pool, node string) policy.Amounts {
	i, ok := p.nodeIndexByName[node]
	if !ok {
		return policy.Amounts{}
	}
	return policy.Amounts{CPUs: p.nodes[i].freeCPUs, MemMB: p.nodes[i].freeMemMB}
}

// AllowsAlloc reports whether the devices are a lawful place for the ask, of its number,
// types and nodes. It does not look at whether they are free.
func AllowsAlloc(p *Pool, on policy.Alloc, partition string, a policy.Ask) bool {
	nodes := on.Nodes()
	if on.Count() != a.GPUs.Count || len(nodes) < a.MinNodes || a.MaxNodes > 0 && len(nodes) > a.MaxNodes {
		return false
	}
	if slices.ContainsFunc(a.RequiredNodes, func(n string) bool { return !slices.Contains(nodes, n) }) {
		return false
	}
	types := []string{a.GPUs.Type}
	if a.GPUs.Type == "" {
		types = p.WholeGPUTypes()
	}
	return !slices.ContainsFunc(on, func(s policy.Slot) bool {
		return !slices.Contains(types, s.Type) || a.PerNode > 0 && s.Count != a.PerNode || !p.AllowsSlot(s, partition, a)
	})
}
