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
	computeSymbol  = newestSymbol("nvmlDeviceGetComputeRunningProcesses", "nvmlDeviceGetComputeRunningProcesses_v2", "nvmlDeviceGetComputeRunningProcesses_v3")
	graphicsSymbol = newestSymbol("nvmlDeviceGetGraphicsRunningProcesses", "nvmlDeviceGetGraphicsRunningProcesses_v2", "nvmlDeviceGetGraphicsRunningProcesses_v3")
)

// readProcesses lists who is on the GPU; no answer is told from no process.
func (r *gpuReader) readProcesses() {
	var all []nvml.ProcessInfo
	if r.canCall(computeSymbol) {
		list, ret := r.dev.GetComputeRunningProcesses()
		r.gpu.ProcsKnown = r.succeeded(ret)
		all = list
	}
	if r.canCall(graphicsSymbol) {
		if list, ret := r.dev.GetGraphicsRunningProcesses(); r.succeeded(ret) {
			all = append(all, list...)
		}
	}
	slices.SortStableFunc(all, func(a, b nvml.ProcessInfo) int {
		return cmp.Or(cmp.Compare(a.Pid, b.Pid), cmp.Compare(a.GpuInstanceId, b.GpuInstanceId))
	})
	all = slices.CompactFunc(all, func(a, b nvml.ProcessInfo) bool { return a.Pid == b.Pid && a.GpuInstanceId == b.GpuInstanceId })
	for _, p := range all {
		r.gpu.Procs = append(r.gpu.Procs, nodeprobe.Process{PID: int(p.Pid), MemMB: processMB(p), Slice: r.sliceOf(p)})
	}
}

// processMB is 0 where the driver does not say.
func processMB(p nvml.ProcessInfo) int64 {
	if p.UsedGpuMemory == math.MaxUint64 {
		return 0
	}
	return int64(p.UsedGpuMemory >> 20)
}

func (r *gpuReader) sliceOf(p nvml.ProcessInfo) string {
	for _, s := range r.gpu.Slices {
		if s.Instance == int(p.GpuInstanceId) && s.Compute == int(p.ComputeInstanceId) {
			return s.UUID
		}
	}
	return ""
}
