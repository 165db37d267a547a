package sizing

import (
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
