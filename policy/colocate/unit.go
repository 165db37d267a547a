package colocate

import (
	"cmp"
	"slices"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/pack"
)

// Unit is jobs that are put into packs as one: those that run on the same GPUs and stay together, or one job
// alone.
type Unit struct {
	Jobs     []*engine.Entry
	Devices  Devices
	HasLease bool    // one of them is to run in any case
	IsFixed  bool    // it runs, and its GPUs are not there to be granted
	Worth    float64 // of what they do in a second alone; see Chooser.WorthOf

	left     float64 // seconds until the last of them is done, alone
	sharesMB int64   // memory of each of its GPUs, where it may share them; 0: it may not
	isTaken  bool
}

// runs reports whether its jobs hold GPUs.
func (u *Unit) runs() bool { return u.Jobs[0].HoldsGPUs() }

// ListUnits returns the jobs of the line that may run, those that share GPUs already as one unit; where
// apart, each is one by itself.
func ListUnits(r *engine.Round, line []*engine.Entry, apart bool, mayRun func(*engine.Entry) bool) []*Unit {
	var units []*Unit
	seen := make([]bool, len(r.Entries))
	for _, e := range line {
		if seen[e.Index] || !mayRun(e) {
			continue
		}
		u := &Unit{Jobs: []*engine.Entry{e}, Devices: DevicesOf(r, e), IsFixed: e.IsUnstoppable}
		if e.HoldsGPUs() && e.Shareable && !apart {
			for _, o := range pack.Group(r, e) {
				if o != e && !seen[o.Index] && mayRun(o) {
					u.Jobs, u.IsFixed = append(u.Jobs, o), u.IsFixed || o.IsUnstoppable
				}
			}
		}
		for _, o := range u.Jobs {
			seen[o.Index] = true
		}
		units = append(units, u)
	}
	return units
}

// sharedMemMB is the memory of each GPU of the devices, on whatever nodes of the partition they may be; 0: of
// some it is not known, or they are given to one job only.
func sharedMemMB(s *policy.Snapshot, d Devices) int64 {
	least := int64(0)
	for i := range s.Nodes {
		n := &s.Nodes[i]
		for _, g := range n.GPUs {
			if g.Type != d.GPUType || !n.InPartition(d.Partition) {
				continue
			}
			if g.OnlyWhole || g.MemMB <= 0 {
				return 0
			}
			if least == 0 || g.MemMB < least {
				least = g.MemMB
			}
		}
	}
	return least
}

// heldMemMB is that of the GPUs that an allocation has.
func heldMemMB(r *engine.Round, on policy.Alloc) int64 {
	least := int64(0)
	for _, slot := range on {
		n := r.Node(slot.Node)
		if n == nil {
			return 0
		}
		i := slices.IndexFunc(n.GPUs, func(g policy.NodeDevices) bool { return g.Type == slot.Type })
		if i < 0 || n.GPUs[i].OnlyWhole || n.GPUs[i].MemMB <= 0 {
			return 0
		}
		if least == 0 || n.GPUs[i].MemMB < least {
			least = n.GPUs[i].MemMB
		}
	}
	return least
}

// Devices are what packs are counted by: jobs of different ones do not share.
type Devices struct {
	GPUType   string
	Count     int
	Partition string
}

// DevicesOf returns those of a job: what it holds, else what it asks. A job that takes any type is
// of the one that there is; where there are several, of "", which shares with no job.
func DevicesOf(r *engine.Round, e *engine.Entry) Devices {
	gpuType := cmp.Or(e.On.FirstType(), e.Ask.GPUs.Type)
	if whole := r.FreePool.WholeGPUTypes(); gpuType == "" && len(whole) == 1 {
		gpuType = whole[0]
	}
	return Devices{gpuType, e.DeviceCount(), e.Partition}
}

// Accepts reports whether the jobs of two packs may all share GPUs: their owners accept each other and
// as many, at most one pack runs already, and the memory of all is not known to exceed that of the GPUs.
func Accepts(r *engine.Round, x, y []*engine.Entry) bool {
	if x[0].HoldsGPUs() && y[0].HoldsGPUs() || DevicesOf(r, x[0]) != DevicesOf(r, y[0]) {
		return false
	}
	return acceptOn(r, x, y, placeOf(x, y))
}

// placeOf is where the first of the jobs are that run; nil: none of them runs.
func placeOf(x, y []*engine.Entry) policy.Alloc {
	if on := x[0].On; len(on) > 0 {
		return on
	}
	return y[0].On
}

// acceptOn is Accepts on devices of which all are known to be of one kind.
func acceptOn(r *engine.Round, x, y []*engine.Entry, on policy.Alloc) bool {
	group := slices.Clone(x)
	for _, e := range y {
		if !pack.Accepts(r, group, on, e) {
			return false
		}
		group = append(group, e)
	}
	return true
}
