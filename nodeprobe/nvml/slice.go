//go:build cgo

package nvml

import (
	"strings"

	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"fairbridge/nodeprobe"
)

var (
	migModeSymbol     = newestSymbol("nvmlDeviceGetMigMode")
	migMaxSymbol      = newestSymbol("nvmlDeviceGetMaxMigDeviceCount")
	migHandleSymbol   = newestSymbol("nvmlDeviceGetMigDeviceHandleByIndex")
	migInstanceSymbol = newestSymbol("nvmlDeviceGetGpuInstanceId")
	migComputeSymbol  = newestSymbol("nvmlDeviceGetComputeInstanceId")
)

// readSlices lists the MIG devices. They may change while the probe runs, so they
// are listed every time, and known by their UUID.
func (r *gpuReader) readSlices() {
	if !r.canCall(migModeSymbol) {
		return
	}
	mode, _, ret := r.dev.GetMigMode()
	if !r.succeeded(ret) || mode != nvml.DEVICE_MIG_ENABLE {
		return
	}
	r.gpu.MIG = true
	r.gpu.Busy, r.gpu.MemBusy = nodeprobe.Measure{}, nodeprobe.Measure{} // of a GPU that was whole a moment ago
	if !r.canCall(migMaxSymbol) || !r.canCall(migHandleSymbol) {
		return
	}
	n, ret := r.dev.GetMaxMigDeviceCount()
	if !r.succeeded(ret) {
		return
	}
	for i := range n {
		if dev, ret := r.dev.GetMigDeviceHandleByIndex(i); r.succeeded(ret) {
			r.gpu.Slices = append(r.gpu.Slices, r.readSlice(dev))
		}
	}
}

func (r *gpuReader) readSlice(dev nvml.Device) nodeprobe.Slice {
	p := nodeprobe.Slice{UUID: readText(r, uuidSymbol, dev.GetUUID), Instance: -1, Compute: -1}
	if _, profile, ok := strings.Cut(readText(r, nameSymbol, dev.GetName), " MIG "); ok {
		p.Profile = profile
	}
	if id := readNumber(r, migInstanceSymbol, dev.GetGpuInstanceId, 1); id.Known {
		p.Instance = int(id.Value)
	}
	if id := readNumber(r, migComputeSymbol, dev.GetComputeInstanceId, 1); id.Known {
		p.Compute = int(id.Value)
	}
	p.MemUsedMB, p.MemTotalMB = r.readMemory(dev)
	return p
}
