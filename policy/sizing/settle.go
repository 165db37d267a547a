package sizing

import (
	"fairbridge/policy/engine"
)

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
