//go:build cgo

package nvml

import (
	"slices"

	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"fairbridge/nodeprobe"
)

var processUseSymbol = newestSymbol("nvmlDeviceGetProcessUtilization")

// readProcessUse reads what each process did since the last look. The driver lists only those that
// did something, and gives no such figures of a divided GPU.
func (r *gpuReader) readProcessUse() {
	if r.gpu.IsMIG || len(r.gpu.Processes) == 0 || !r.canCall(processUseSymbol) {
		return
	}
	list, ret := r.callProcessUse()
	switch {
	case r.isSuccess(ret):
		newest := map[int]nvml.ProcessUtilizationSample{}
		for _, s := range list {
			r.lastUseByIndex[r.gpu.Index] = max(r.lastUseByIndex[r.gpu.Index], s.TimeStamp)
			if s.TimeStamp >= newest[int(s.Pid)].TimeStamp {
				newest[int(s.Pid)] = s
			}
		}
		setProcessUse(r.gpu.Processes, newest)
	case ret == nvml.ERROR_NOT_FOUND && r.gpu.Busy.Known && r.gpu.Busy.Value == 0:
		setProcessUse(r.gpu.Processes, nil) // nothing was done at all
	}
}

// callProcessUse asks the driver. The list may grow between the call that counts it and the one that reads it, which
// the library answers by a panic: then nothing is known until the next look.
func (r *gpuReader) callProcessUse() (list []nvml.ProcessUtilizationSample, ret nvml.Return) {
	defer func() {
		if recover() != nil {
			list, ret = nil, nvml.ERROR_INSUFFICIENT_SIZE
		}
	}()
	return r.device.GetProcessUtilization(r.lastUseByIndex[r.gpu.Index])
}

// setProcessUse says what each process did. One that is not listed did nothing, unless something
// was done under a process that is not on the GPU: that may be its work.
func setProcessUse(procs []nodeprobe.Process, use map[int]nvml.ProcessUtilizationSample) {
	strangers := false
	for pid := range use {
		strangers = strangers || !slices.ContainsFunc(procs, func(p nodeprobe.Process) bool { return p.PID == pid })
	}
	for i := range procs {
		p := &procs[i]
		if s, ok := use[p.PID]; (ok || !strangers) && s.SmUtil <= 100 && s.MemUtil <= 100 {
			p.Busy, p.MemBusy = nodeprobe.KnownValue(float64(s.SmUtil)/100), nodeprobe.KnownValue(float64(s.MemUtil)/100)
		}
	}
}
