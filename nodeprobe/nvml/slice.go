//go:build cgo

package nvml

import (
	"strings"

	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"fairbridge/nodeprobe"
)

var (
	migMode     = symbol("nvmlDeviceGetMigMode")
	migMax      = symbol("nvmlDeviceGetMaxMigDeviceCount")
	migHandle   = symbol("nvmlDeviceGetMigDeviceHandleByIndex")
	migInstance = symbol("nvmlDeviceGetGpuInstanceId")
	migCompute  = symbol("nvmlDeviceGetComputeInstanceId")
)

// slices lists the MIG devices. They may change while the probe runs, so they
// are listed every time, and known by their UUID.
func (r *reader) slices() {
	if !r.may(migMode) {
		return
	}
	mode, _, ret := r.dev.GetMigMode()
	if !r.good(ret) || mode != nvml.DEVICE_MIG_ENABLE {
		return
	}
	r.g.MIG = true
	r.g.Busy, r.g.MemBusy = nodeprobe.Measure{}, nodeprobe.Measure{} // of a GPU that was whole a moment ago
	if !r.may(migMax) || !r.may(migHandle) {
		return
	}
	n, ret := r.dev.GetMaxMigDeviceCount()
	if !r.good(ret) {
		return
	}
	for i := range n {
		if dev, ret := r.dev.GetMigDeviceHandleByIndex(i); r.good(ret) {
			r.g.Parts = append(r.g.Parts, r.slice(dev))
		}
	}
}

func (r *reader) slice(dev nvml.Device) nodeprobe.Part {
	p := nodeprobe.Part{UUID: text(r, uuid, dev.GetUUID), Instance: -1, Compute: -1}
	if _, profile, ok := strings.Cut(text(r, name, dev.GetName), " MIG "); ok {
		p.Profile = profile
	}
	if id := number(r, migInstance, dev.GetGpuInstanceId, 1); id.Known {
		p.Instance = int(id.Value)
	}
	if id := number(r, migCompute, dev.GetComputeInstanceId, 1); id.Known {
		p.Compute = int(id.Value)
	}
	p.MemUsedMB, p.MemTotalMB = r.memory(dev)
	return p
}
