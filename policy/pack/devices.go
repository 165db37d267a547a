package pack

import (
	"cmp"
	"errors"
	"slices"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/interference"
	"fairbridge/policy/pool"
)

// Device is one GPU that jobs hold, as the plan stands so far.
type Device struct {
	Slot  policy.Slot     // it alone; it does not say which it is where its only job has just been started
	MemMB int64           // its memory; 0: not known
	Jobs  []*engine.Entry // those on it
}

// Devices are the GPUs of which it is known which jobs hold them. They serve one round.
type Devices struct {
	list   []*Device
	byName map[policy.Slot]*Device
	packed *engine.Entry // for whom a place was last given out
	on     []*Device
}

// ListDevices returns the GPUs that jobs hold, in order of the jobs. Where a running job may be on any
// of a node's GPUs, none of these is listed.
func ListDevices(r *engine.Round) *Devices {
	d := &Devices{byName: map[policy.Slot]*Device{}}
	unknown := map[[2]string]bool{}
	for _, e := range r.Entries {
		for _, s := range e.PlannedAlloc {
			if e.HoldsGPUs() && devicesOf(r, s) == 0 {
				unknown[[2]string{s.Node, s.Type}] = true
			}
		}
	}
	for _, e := range r.Entries {
		for _, s := range e.PlannedAlloc {
			if !unknown[[2]string{s.Node, s.Type}] {
				d.addSlot(r, e, s)
			}
		}
	}
	return d
}

// devicesOf are those of a slot that a running job holds: as it says, or all that the node has of the type;
// 0: not known.
func devicesOf(r *engine.Round, s policy.Slot) policy.DeviceSet {
	if s.Devices.Count() == s.Count {
		return s.Devices
	}
	n := r.Node(s.Node)
	if n == nil {
		return 0
	}
	for _, d := range n.GPUs {
		if d.Type == s.Type && d.Count == s.Count && s.Count <= policy.MaxDeviceIndex {
			return 1<<s.Count - 1
		}
	}
	return 0
}

// addSlot adds the job to its devices on a node. One that was started in this round has some of its
// own, of which it is not known which they are; only where it is one they can be shared.
func (d *Devices) addSlot(r *engine.Round, e *engine.Entry, s policy.Slot) {
	if !e.HoldsGPUs() && s.Devices.Count() != s.Count {
		if len(e.PlannedAlloc) == 1 && s.Count == 1 && e.SharesWith == 0 {
			d.list = append(d.list, &Device{Slot: s, MemMB: deviceMemMB(r.Node(s.Node), s.Type), Jobs: []*engine.Entry{e}})
		}
		return
	}
	for _, i := range devicesOf(r, s).Indexes() {
		one := policy.Slot{Node: s.Node, Type: s.Type, Count: 1, Devices: policy.NewDeviceSet(i)}
		device := d.byName[one]
		if device == nil {
			device = &Device{Slot: one, MemMB: deviceMemMB(r.Node(s.Node), s.Type)}
			d.byName[one], d.list = device, append(d.list, device)
		}
		device.Jobs = append(device.Jobs, e)
	}
}

// Current returns the devices that jobs still hold, with those that were packed on them meanwhile.
func (d *Devices) Current() []*Device {
	if d.packed != nil && len(d.packed.PlannedAlloc) > 0 {
		for _, device := range d.on {
			device.Jobs = append(device.Jobs, d.packed)
		}
	}
	d.packed, d.on = nil, nil
	gone := func(e *engine.Entry) bool { return len(e.PlannedAlloc) == 0 }
	for _, device := range d.list {
		if slices.ContainsFunc(device.Jobs, gone) {
			device.Jobs = slices.DeleteFunc(device.Jobs, gone)
		}
	}
	d.list = slices.DeleteFunc(d.list, func(device *Device) bool { return len(device.Jobs) == 0 })
	return d.list
}

// Share returns the devices as a place for the entry.
func (d *Devices) Share(e *engine.Entry, on ...*Device) engine.SharedPlace {
	d.packed, d.on = e, on
	if len(on) == 1 && on[0].Slot.Devices == 0 {
		return engine.SharedPlace{On: policy.Alloc{on[0].Slot}, Beside: on[0].Jobs[0].ID}
	}
	return engine.SharedPlace{On: AllocOf(on)}
}

// AllocOf returns the devices as an allocation.
func AllocOf(devices []*Device) policy.Alloc {
	slots := make(policy.Alloc, len(devices))
	for i, d := range devices {
		slots[i] = d.Slot
	}
	slices.SortFunc(slots, policy.Slot.Compare)
	merged := slots[:0]
	for _, s := range slots {
		if k := len(merged) - 1; k >= 0 && merged[k].Node == s.Node && merged[k].Type == s.Type {
			merged[k].Count, merged[k].Devices = merged[k].Count+1, merged[k].Devices|s.Devices
			continue
		}
		merged = append(merged, s)
	}
	return merged
}

// accepts reports whether the jobs on the device and the entry accept each other there; see Accepts.
func (d *Device) accepts(r *engine.Round, e *engine.Entry) bool {
	return Accepts(r, d.Jobs, policy.Alloc{d.Slot}, e)
}

// ByMemory puts jobs of one GPU on GPUs of such jobs wherever the memory of all of them, and a
// margin, is known to fit, as Salus admits them (MLSys 2020), but without its lanes. Of
// several GPUs it takes the one whose jobs compute least, then the one with the fewest, then the one
// that it fills best. It serves one round.
type ByMemory struct {
	Jobs    int // how many may share a GPU, where all of them accept as many
	devices *Devices
}

var errNoMemory = errors.New("no GPU whose jobs take a neighbour is known to have the memory")

// Pack implements engine.Packer.
func (b *ByMemory) Pack(r *engine.Round, e *engine.Entry) (engine.SharedPlace, error) {
	if e.WantedDeviceCount != 1 || e.Sharing.UsedMemMB() <= 0 {
		return engine.SharedPlace{}, errNoMemory
	}
	if b.devices == nil {
		b.devices = ListDevices(r)
	}
	var best *Device
	var least load
	for _, d := range b.devices.Current() {
		if len(d.Jobs) >= b.Jobs || d.MemMB <= 0 || !e.AcceptsType(d.Slot.Type) {
			continue
		}
		with, ok := d.loadWith(e)
		if ok && (best == nil || with.compare(least) < 0) && b.isLawful(r, d, e) {
			best, least = d, with
		}
	}
	if best == nil {
		return engine.SharedPlace{}, errNoMemory
	}
	return b.devices.Share(e, best), nil
}

// isLawful reports whether the entry may run on the device beside its jobs.
func (b *ByMemory) isLawful(r *engine.Round, d *Device, e *engine.Entry) bool {
	gang := e.GangAsk()
	gang.GPUs.Type = cmp.Or(gang.GPUs.Type, d.Slot.Type)
	return pool.AllowsAlloc(r.FreePool, policy.Alloc{d.Slot}, e.Partition, gang) && d.accepts(r, e)
}

// load is how full a GPU is.
type load struct {
	busy   float64 // sum of the shares of time in which its jobs compute alone; 1 of one that is not known
	jobs   int
	freeMB int64
}

func (l load) compare(o load) int {
	return cmp.Or(cmp.Compare(l.busy, o.busy), cmp.Compare(l.jobs, o.jobs), cmp.Compare(l.freeMB, o.freeMB))
}

// loadWith returns how full the device is with the entry, and whether all its jobs are on one GPU and
// their memory is known to fit.
func (d *Device) loadWith(e *engine.Entry) (l load, fits bool) {
	l = load{jobs: len(d.Jobs), freeMB: d.MemMB - e.Sharing.UsedMemMB()}
	for _, o := range d.Jobs {
		used := o.Sharing.UsedMemMB()
		if used <= 0 || !o.Shareable || o.PlannedAlloc.Count() != 1 {
			return l, false
		}
		l.freeMB -= used
		if u := interference.Utilisation(o.Job); u.Known {
			l.busy += u.Value
		} else {
			l.busy++
		}
	}
	return l, l.freeMB >= MemMarginMB
}
