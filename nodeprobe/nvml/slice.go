//go:build cgo

package nvml

import (
	"strings"

	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"fairbridge/nodeprobe"
)

var (
	migModeSymbol         = newestSymbol("nvmlDeviceGetMigMode")
	migMaxCountSymbol     = newestSymbol("nvmlDeviceGetMaxMigDeviceCount")
	migHandleSymbol       = newestSymbol("nvmlDeviceGetMigDeviceHandleByIndex")
	gpuInstanceSymbol     = newestSymbol("nvmlDeviceGetGpuInstanceId")
	computeInstanceSymbol = newestSymbol("nvmlDeviceGetComputeInstanceId")
)

// readSlices lists the MIG devices. They may change while the probe runs, so they
// are listed every time, and known by their UUID.
func (r *gpuReader) readSlices() {
	if !r.canCall(migModeSymbol) {
		return
	}
	mode, _, ret := r.device.GetMigMode()
	if !r.isSuccess(ret) || mode != nvml.DEVICE_MIG_ENABLE {
		return
	}
	r.gpu.IsMIG = true
	r.gpu.Busy, r.gpu.MemBusy = nodeprobe.OptionalValue{}, nodeprobe.OptionalValue{} // of a GPU that was whole a moment ago
	if !r.canCall(migMaxCountSymbol) || !r.canCall(migHandleSymbol) {
		return
	}
	n, ret := r.device.GetMaxMigDeviceCount()
	if !r.isSuccess(ret) {
		return
	}
	for i := range n {
		if dev, ret := r.device.GetMigDeviceHandleByIndex(i); r.isSuccess(ret) {
			r.gpu.Slices = append(r.gpu.Slices, r.readSlice(dev))
		}
	}
}

func (r *gpuReader) readSlice(dev nvml.Device) nodeprobe.MIGSlice {
	p := nodeprobe.MIGSlice{UUID: readText(r, deviceUUIDSymbol, dev.GetUUID), GPUInstance: -1, ComputeInstance: -1}
	if _, profile, ok := strings.Cut(readText(r, deviceNameSymbol, dev.GetName), " MIG "); ok {
		p.Profile = profile
	}
	if id := readNumber(r, gpuInstanceSymbol, dev.GetGpuInstanceId, 1); id.Known {
		p.GPUInstance = int(id.Value)
	}
	if id := readNumber(r, computeInstanceSymbol, dev.GetComputeInstanceId, 1); id.Known {
		p.ComputeInstance = int(id.Value)
	}
	p.MemUsedMB, p.MemTotalMB = r.readMemory(dev)
	return p
}
