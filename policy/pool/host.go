package pool

import (
	"math/bits"
	"slices"
	"time"

	"fairbridge/policy"
)

// hostNode is a node and what is free on it.
type hostNode struct {
	*policy.Node
	typeDevices []typeDevices // by type, sorted
	freeCPUs    int           // free cores; negative when more are held than there are
	freeMemMB   int64         // free megabytes, likewise
}

// typeDevices is the devices of one type on a node.
type typeDevices struct {
	gpuType     string
	isWholeGPU  bool // devices are whole GPUs
	freeDevices int  // negative when more are held than are healthy
	// jobsByDevice is how many jobs hold each device, of those whose devices are known; nil: of
	// none they are.
	jobsByDevice []int8
}

// matchesType reports whether the devices are of the type; "" is any whole GPU.
func (r *typeDevices) matchesType(gpuType string) bool {
	return r.gpuType == gpuType || gpuType == "" && r.isWholeGPU
}

// indexOfType returns the place of the type's devices in typeDevices; -1: there are none.
func (h *hostNode) indexOfType(gpuType string) int {
	return slices.IndexFunc(h.typeDevices, func(r typeDevices) bool { return r.gpuType == gpuType })
}

// freeDevices returns the free devices of the type, whether or not the node is up.
func (h *hostNode) freeDevices(gpuType string) int {
	n := 0
	for i := range h.typeDevices {
		if r := &h.typeDevices[i]; r.matchesType(gpuType) {
			n += max(r.freeDevices, 0)
		}
	}
	return n
}

// hasFreeDevices reports whether anything is free.
func (h *hostNode) hasFreeDevices() bool {
	return slices.ContainsFunc(h.typeDevices, func(r typeDevices) bool { return r.freeDevices > 0 })
}

// allowsAsk reports whether the ask may be placed on the node at all, when it is up.
func (h *hostNode) allowsAsk(partition string, a *policy.Ask) bool {
	if !h.InPartition(partition) || slices.Contains(a.ExcludedNodes, h.Name) {
		return false
	}
	for _, f := range a.Features {
		if !slices.Contains(h.Features, f) {
			return false
		}
	}
	return true
}

// usableDevices returns how many devices the node can give to the ask from a moment on:
// those that are free, as far as its free cores and memory go round.
func (h *hostNode) usableDevices(from time.Time, partition string, a *policy.Ask) int {
	n := h.freeDevices(a.GPUs.Type)
	if n == 0 || h.IsDownAt(from) || !h.allowsAsk(partition, a) {
		return 0
	}
	whole, cpus, gpus := h.countSetAside(from, a)
	if n -= gpus; whole || n <= 0 {
		return 0
	}
	if a.CPUs > 0 {
		n = min(n, max(h.freeCPUs-cpus, 0)*a.GPUs.Count/a.CPUs)
	}
	if a.MemMB > 0 {
		n = min(n, int(max(h.freeMemMB, 0)*int64(a.GPUs.Count)/a.MemMB))
	}
	return n
}

// countSetAside returns what windows take of the node while the ask would run.
func (h *hostNode) countSetAside(from time.Time, a *policy.Ask) (whole bool, cpus, gpus int) {
	if len(h.Windows) == 0 || from.IsZero() {
		return false, 0, 0
	}
	w, cpus, gpus := h.WindowDuring(from, a.Limit)
	return w != nil, cpus, gpus
}

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
