package sizing

import (
	"container/heap"
	"slices"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/pool"
)

// Draft is a plan under way: which jobs would run on what. It takes and gives back devices of a
// round as the engine will, so that no job shrinks for one that then finds no place. Until it is closed, the pool of the
// round and the PlannedAlloc and WantedDeviceCount of its entries are as the draft has them, so
// reservations made meanwhile count with it.
type Draft struct {
	round    *engine.Round
	log      []change
	resource []cpusAndMemory // by Entry.Index: what is taken for the entry beside its devices
}

// change is what an entry was before it changed.
type change struct {
	entry    *engine.Entry
	poolMark int
	alloc    policy.Alloc
	wanted   int
	resource cpusAndMemory
}

type cpusAndMemory struct {
	cpus  int
	memMB int64
}

func heldBy(e *engine.Entry) cpusAndMemory {
	has := e.HeldAmounts()
	return cpusAndMemory{has.CPUs, has.MemMB}
}

// NewDraft begins a draft in which the jobs that run keep what they hold.
func NewDraft(r *engine.Round) *Draft {
	d := &Draft{round: r, resource: make([]cpusAndMemory, len(r.Entries))}
	for _, e := range r.RunningEntries() {
		d.resource[e.Index] = heldBy(e)
	}
	return d
}

// Mark returns the state of the draft, for Rewind.
func (d *Draft) Mark() int { return len(d.log) }

// Rewind returns to the state at a mark.
func (d *Draft) Rewind(mark int) {
	for _, c := range slices.Backward(d.log[mark:]) {
		d.round.FreePool.Rewind(c.poolMark)
		c.entry.PlannedAlloc, c.entry.WantedDeviceCount = c.alloc, c.wanted
		d.resource[c.entry.Index] = c.resource
	}
	d.log = d.log[:mark]
}

// Close returns to the state the draft began with.
func (d *Draft) Close() { d.Rewind(0) }

// Size returns the devices the job would run on; 0: it would not run.
func (d *Draft) Size(e *engine.Entry) int { return e.PlannedAlloc.Count() }

// TrySize lets the job run on so many devices: one that runs stays on its own nodes if they
// have room. It reports whether it can, and changes nothing otherwise. accept, if not nil, is
// asked about the place.
func (d *Draft) TrySize(e *engine.Entry, devices int, accept func(*engine.Entry, policy.Alloc) error) bool {
	if devices <= 0 || e.HoldsGPUs() && devices != e.On.Count() && !MayResize(e) {
		return false
	}
	free := d.round.FreePool
	was := change{e, free.UndoMark(), e.PlannedAlloc, e.WantedDeviceCount, d.resource[e.Index]}
	if len(was.alloc) > 0 {
		free.GiveBack(was.alloc, was.resource.cpus, was.resource.memMB)
	}
	d.log = append(d.log, was)
	e.WantedDeviceCount = devices
	on, need, err := d.place(e, devices)
	if err == nil && accept != nil {
		err = accept(e, on)
	}
	if err == nil {
		err = free.Take(on, need.cpus, need.memMB)
	}
	if err != nil {
		d.Rewind(len(d.log) - 1)
		return false
	}
	e.PlannedAlloc, d.resource[e.Index] = on, need
	return true
}

// place finds devices for the entry as the engine does. A job that gets back the size it has
// keeps its very devices.
func (d *Draft) place(e *engine.Entry, devices int) (policy.Alloc, cpusAndMemory, error) {
	if e.HoldsGPUs() && devices == e.On.Count() {
		return e.On, heldBy(e), nil
	}
	free, a := d.round.FreePool, e.GangAsk()
	need := cpusAndMemory{a.CPUs, a.MemMB}
	if e.HoldsGPUs() && e.Ask.GPUs.Type != "" {
		rooms := slices.DeleteFunc(free.ListRooms(e.Partition, a), func(r pool.Room) bool { return e.On.CountOn(r.NodeName) == 0 })
		if on, err := pool.FitInRooms(free, a, rooms); err == nil {
			return on, need, nil
		}
	}
	on, err := pool.Fit(free, e.Partition, a)
	return on, need, err
}

// StartWaiting lets jobs that wait run on a size each, in the order of the line, while there is room.
func (d *Draft) StartWaiting(line []*engine.Entry, size func(*engine.Entry) int) {
	for _, e := range line {
		if !e.HoldsGPUs() && d.round.MayRun(e) {
			d.TrySize(e, size(e), nil)
		}
	}
}

// Assignments returns those of a line with the sizes of the draft. Jobs that the draft
// found no place for stand with their least size.
func (d *Draft) Assignments(line []*engine.Entry) []engine.Assignment {
	all := make([]engine.Assignment, len(line))
	for i, e := range line {
		devices := d.Size(e)
		if devices == 0 {
			devices = Least(e)
		}
		all[i] = engine.Assignment{Entry: e, DeviceCount: devices, Note: e.Note}
	}
	return all
}

// Holds reports whether the engine, which shrinks jobs first and then goes through the line
// once, would come to the same sizes: where gangs need whole nodes, another order of the same
// steps may leave no place.
func (d *Draft) Holds(line []*engine.Entry) bool {
	sizes := make([]int, len(line))
	for i, e := range line {
		sizes[i] = d.Size(e)
	}
	again := NewDraft(d.round)
	d.Close()
	for i, e := range line {
		if e.HoldsGPUs() && sizes[i] < e.On.Count() && !again.TrySize(e, sizes[i], nil) {
			again.Close()
			return false
		}
	}
	for i, e := range line {
		if sizes[i] != again.Size(e) && !again.TrySize(e, sizes[i], nil) {
			again.Close()
			return false
		}
	}
	*d = *again
	return true
}

// Growth gives devices that would idle to jobs of a draft, one after the other to where it
// gains most.
type Growth struct {
	// Gain is what so many devices are worth to a job over those it has in the draft, for each
	// device more; not more than 0: nothing.
	Gain func(e *engine.Entry, devices int) float64
	// Next is the next larger size to try; not more than the present one: none.
	Next func(e *engine.Entry, devices int) int
}

// Run grows the jobs until nothing is free that any of them gains from. Of equal gains that of
// the first in the list counts.
func (g Growth) Run(d *Draft, jobs []*engine.Entry) {
	var h growthHeap
	for i, e := range jobs {
		h = g.push(h, d, growthStep{entry: e, place: i})
	}
	heap.Init(&h)
	for len(h) > 0 {
		s := heap.Pop(&h).(growthStep)
		if !d.TrySize(s.entry, s.devices, nil) {
			continue
		}
		if next, ok := g.next(d, s); ok {
			heap.Push(&h, next)
		}
	}
}

func (g Growth) push(h growthHeap, d *Draft, s growthStep) growthHeap {
	if next, ok := g.next(d, s); ok {
		h = append(h, next)
	}
	return h
}

// next is the step that follows for the job of a step; ok is false where there is none.
func (g Growth) next(d *Draft, s growthStep) (growthStep, bool) {
	has := d.Size(s.entry)
	s.devices = g.Next(s.entry, has)
	if s.devices <= has || s.devices < Least(s.entry) || s.devices > Most(s.entry) {
		return s, false
	}
	s.gain = g.Gain(s.entry, s.devices)
	return s, s.gain > 0
}

// growthStep is a size that a job may get next.
type growthStep struct {
	entry   *engine.Entry
	place   int // in the list
	devices int
	gain    float64
}

// growthHeap has the largest gain first.
type growthHeap []growthStep

// Len implements heap.Interface.
func (h growthHeap) Len() int { return len(h) }

// Less implements heap.Interface.
func (h growthHeap) Less(i, j int) bool {
	if h[i].gain != h[j].gain {
		return h[i].gain > h[j].gain
	}
	return h[i].place < h[j].place
}

// Swap implements heap.Interface.
func (h growthHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }

// Push implements heap.Interface.
func (h *growthHeap) Push(x any) { *h = append(*h, x.(growthStep)) }

// Pop implements heap.Interface.
func (h *growthHeap) Pop() any {
	old := *h
	x := old[len(old)-1]
	*h = old[:len(old)-1]
	return x
}

// Stop lets a running job leave its devices in the draft. TrySize with what it held takes them again.
func (d *Draft) Stop(e *engine.Entry) {
	free := d.round.FreePool
	d.log = append(d.log, change{e, free.UndoMark(), e.PlannedAlloc, e.WantedDeviceCount, d.resource[e.Index]})
	free.GiveBack(e.PlannedAlloc, d.resource[e.Index].cpus, d.resource[e.Index].memMB)
	e.PlannedAlloc, d.resource[e.Index] = nil, cpusAndMemory{}
}

// AssignSizes turns the sizes that were chosen for a line, by counting devices, into leases; 0 is none, and stands for
// all that do not compete for any.
// A running job grows only where it finds room once those that are to stop or to shrink have, and one
// that runs is told to stop only where its devices are needed for that; others without a lease
// give way as the engine finds them in the way. stopReason says to their owners why.
func AssignSizes(r *engine.Round, line []*engine.Entry, sizes []int, stopReason string) []engine.Assignment {
	d := NewDraft(r)
	sizes, grew := d.settle(line, sizes)
	all := make([]engine.Assignment, len(line))
	for i, e := range line {
		all[i] = e.AssignmentWithoutLease()
		all[i].Grant.HasLease = sizes[i] > 0 && (!e.HoldsGPUs() || isStoppable(e))
		if sizes[i] > 0 {
			all[i].DeviceCount = sizes[i]
		}
		if sizes[i] == 0 && isStoppable(e) && len(e.PlannedAlloc) == 0 && grew {
			all[i].Grant.StopReason = stopReason
		}
	}
	d.Close()
	for i, e := range line {
		e.WantedDeviceCount = all[i].DeviceCount
	}
	return all
}

// settle tries the sizes: first what gives devices back, then what takes them, in line order, then
// whether those that were to stop are in the way of any. grew says that a running job grows.
func (d *Draft) settle(line []*engine.Entry, sizes []int) (settled []int, grew bool) {
	settled = append(settled, sizes...)
	for i, e := range line {
		switch {
		case !e.HoldsGPUs():
		case !isStoppable(e):
			settled[i] = e.DeviceCount()
		case sizes[i] == 0:
			d.Stop(e)
		case sizes[i] < e.On.Count() && !d.TrySize(e, sizes[i], nil):
			settled[i] = e.On.Count()
		}
	}
	for i, e := range line {
		switch {
		case e.HoldsGPUs() && settled[i] > e.On.Count():
			if d.TrySize(e, settled[i], nil) {
				grew = true
			} else {
				settled[i] = e.On.Count()
			}
		case !e.HoldsGPUs() && settled[i] > 0:
			d.TrySize(e, settled[i], nil)
		}
	}
	for i, e := range line {
		if isStoppable(e) && sizes[i] == 0 {
			d.TrySize(e, e.On.Count(), nil)
		}
	}
	return settled, grew
}

// isStoppable reports whether the job runs and may be stopped now.
func isStoppable(e *engine.Entry) bool { return e.HoldsGPUs() && len(e.On) > 0 && !e.IsUnstoppable }
