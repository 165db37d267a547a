package pool

import (
	"math/bits"

	"fairbridge/policy"
)

// knownDevices are those that the slot names, where it names as many as it counts; else none.
func knownDevices(s policy.Slot) policy.DeviceSet {
	if s.Devices.Count() != s.Count {
		return 0
	}
	return s.Devices
}

// hold lets one job more (by 1) or fewer (by -1) hold each of the devices. A device that several
// jobs share is taken from what is free once, and is free again when the last of them has left.
func (r *typeDevices) hold(devices policy.DeviceSet, by int8) {
	if r.jobsByDevice == nil {
		r.jobsByDevice = make([]int8, policy.MaxDeviceIndex+1)
	}
	for rest := uint64(devices); rest != 0; rest &= rest - 1 {
		jobs := &r.jobsByDevice[bits.TrailingZeros64(rest)]
		before := *jobs
		*jobs += by
		switch {
		case before == 0 && by > 0:
			r.freeDevices--
		case before == 1 && by < 0:
			r.freeDevices++
		}
	}
}

// countUnheld returns how many of the slot's devices no job is known to hold.
func (r *typeDevices) countUnheld(s policy.Slot) int {
	devices := knownDevices(s)
	if devices == 0 || r.jobsByDevice == nil {
		return s.Count
	}
	n := 0
	for rest := uint64(devices); rest != 0; rest &= rest - 1 {
		if r.jobsByDevice[bits.TrailingZeros64(rest)] == 0 {
			n++
		}
	}
	return n
}

// hasFree reports whether the slot's devices are free, or held by jobs that may share them.
func (r *typeDevices) hasFree(s policy.Slot, mayShare bool) bool {
	unheld := r.countUnheld(s)
	return r.freeDevices >= unheld && (mayShare || unheld == s.Count)
}

// TakeAgain is Pool.Take for what a running job holds, on devices that it may share with others.
func TakeAgain(p *Pool, a policy.Alloc, cpus int, memMB int64) error {
	return take(p, a, cpus, memMB, true)
}

func take(p *Pool, a policy.Alloc, cpus int, memMB int64, mayShare bool) error {
	if err := p.checkFree(a, cpus, memMB, mayShare); err != nil {
		return err
	}
	p.applyAlloc(a, -1, cpus, memMB)
	return nil
}
