//go:build cgo

package nvml

import (
	"cmp"
	"math"
	"slices"

	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"fairbridge/nodeprobe"
)

var (
	computeProcessesSymbol  = newestSymbol("nvmlDeviceGetComputeRunningProcesses", "nvmlDeviceGetComputeRunningProcesses_v2", "nvmlDeviceGetComputeRunningProcesses_v3")
	graphicsProcessesSymbol = newestSymbol("nvmlDeviceGetGraphicsRunningProcesses", "nvmlDeviceGetGraphicsRunningProcesses_v2", "nvmlDeviceGetGraphicsRunningProcesses_v3")
)

// readProcesses lists who is on the GPU; no answer is told from no process.
func (r *gpuReader) readProcesses() {
	var all []nvml.ProcessInfo
	if r.canCall(computeProcessesSymbol) {
		list, ret := r.device.GetComputeRunningProcesses()
		r.gpu.ProcessesKnown = r.isSuccess(ret)
		all = list
	}
	if r.canCall(graphicsProcessesSymbol) {
		if list, ret := r.device.GetGraphicsRunningProcesses(); r.isSuccess(ret) {
			all = append(all, list...)
		}
	}
	slices.SortStableFunc(all, func(a, b nvml.ProcessInfo) int {
		return cmp.Or(cmp.Compare(a.Pid, b.Pid), cmp.Compare(a.GpuInstanceId, b.GpuInstanceId))
	})
	all = slices.CompactFunc(all, func(a, b nvml.ProcessInfo) bool { return a.Pid == b.Pid && a.GpuInstanceId == b.GpuInstanceId })
	for _, p := range all {
		r.gpu.Processes = append(r.gpu.Processes, nodeprobe.Process{PID: int(p.Pid), MemMB: processMemMB(p), SliceUUID: r.sliceUUIDOf(p)})
	}
}

// processMemMB is 0 where the driver does not say.
func processMemMB(p nvml.ProcessInfo) int64 {
	if p.UsedGpuMemory == math.MaxUint64 {
		return 0
	}
	return int64(p.UsedGpuMemory >> 20)
}

func (r *gpuReader) sliceUUIDOf(p nvml.ProcessInfo) string {
	for _, s := range r.gpu.Slices {
		if s.GPUInstance == int(p.GpuInstanceId) && s.ComputeInstance == int(p.ComputeInstanceId) {
			return s.UUID
		}
	}
	return ""
}
