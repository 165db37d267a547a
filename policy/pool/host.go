package pool

import (
	"slices"
	"time"

	"fairbridge/policy"
)

// host is a node and what is free on it.
type host struct {
	*policy.Node
	rows  []row // by type, sorted
	cpus  int   // free cores; negative when more are held than there are
	memMB int64 // free megabytes, likewise
}

// row is the devices of one type on a node.
type row struct {
	gpuType string
	whole   bool // devices are whole GPUs
	free    int  // negative when more are held than are healthy
}

// matches reports whether the devices are of the type; "" is any whole GPU.
func (r *row) matches(gpuType string) bool {
	return r.gpuType == gpuType || gpuType == "" && r.whole
}

// rowOf returns the place of the type's devices in rows; -1: there are none.
func (h *host) rowOf(gpuType string) int {
	return slices.IndexFunc(h.rows, func(r row) bool { return r.gpuType == gpuType })
}

// freeDevices returns the free devices of the type, whether or not the node is up.
func (h *host) freeDevices(gpuType string) int {
	n := 0
	for i := range h.rows {
		if r := &h.rows[i]; r.matches(gpuType) {
			n += max(r.free, 0)
		}
	}
	return n
}

// hasFree reports whether anything is free.
func (h *host) hasFree() bool {
	return slices.ContainsFunc(h.rows, func(r row) bool { return r.free > 0 })
}

// allows reports whether the ask may be placed on the node at all, when it is up.
func (h *host) allows(partition string, a *policy.Ask) bool {
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
func (h *host) usableDevices(from time.Time, partition string, a *policy.Ask) int {
	n := h.freeDevices(a.GPUs.Type)
	if n == 0 || h.IsDownAt(from) || !h.allows(partition, a) {
		return 0
	}
	whole, cpus, gpus := h.setAside(from, a)
	if n -= gpus; whole || n <= 0 {
		return 0
	}
	if a.CPUs > 0 {
		n = min(n, max(h.cpus-cpus, 0)*a.GPUs.Count/a.CPUs)
	}
	if a.MemMB > 0 {
		n = min(n, int(max(h.memMB, 0)*int64(a.GPUs.Count)/a.MemMB))
	}
	return n
}

// setAside returns what windows take of the node while the ask would run.
func (h *host) setAside(from time.Time, a *policy.Ask) (whole bool, cpus, gpus int) {
	if len(h.Windows) == 0 || from.IsZero() {
		return false, 0, 0
	}
	w, cpus, gpus := h.WindowDuring(from, a.Limit)
	return w != nil, cpus, gpus
}
