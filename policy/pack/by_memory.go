package pack

import (
	"cmp"
	"errors"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/interference"
	"fairbridge/policy/pool"
)

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
