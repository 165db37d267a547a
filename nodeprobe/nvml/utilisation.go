//go:build cgo

package nvml

import (
	"slices"

	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"fairbridge/nodeprobe"
)

var (
	utilisationSymbol = newestSymbol("nvmlDeviceGetUtilizationRates")
	memorySymbol      = newestSymbol("nvmlDeviceGetMemoryInfo")
	memoryV2Symbol    = newestSymbol("nvmlDeviceGetMemoryInfo_v2")
	powerSymbol       = newestSymbol("nvmlDeviceGetPowerUsage")
	powerLimitSymbol  = newestSymbol("nvmlDeviceGetEnforcedPowerLimit")
	energySymbol      = newestSymbol("nvmlDeviceGetTotalEnergyConsumption")
	temperatureSymbol = newestSymbol("nvmlDeviceGetTemperature")
	clockSymbol       = newestSymbol("nvmlDeviceGetClockInfo")
	throttleSymbol    = newestSymbol("nvmlDeviceGetCurrentClocksThrottleReasons")
)

const mibPerByte = 1.0 / (1 << 20)

func (r *gpuReader) readUtilisation() {
	if r.canCall(utilisationSymbol) {
		if u, ret := r.dev.GetUtilizationRates(); r.succeeded(ret) {
			r.gpu.Busy = nodeprobe.Known(float64(u.Gpu) / 100)
			r.gpu.MemBusy = nodeprobe.Known(float64(u.Memory) / 100)
		}
	}
	r.gpu.MemUsedMB, r.gpu.MemTotalMB = r.readMemory(r.dev)
	r.gpu.Watts = readNumber(r, powerSymbol, r.dev.GetPowerUsage, 1e-3)
	r.gpu.WattsLimit = readNumber(r, powerLimitSymbol, r.dev.GetEnforcedPowerLimit, 1e-3)
	r.gpu.Joules = readNumber(r, energySymbol, r.dev.GetTotalEnergyConsumption, 1e-3)
	r.gpu.TempC = readNumber(r, temperatureSymbol, func() (uint32, nvml.Return) { return r.dev.GetTemperature(nvml.TEMPERATURE_GPU) }, 1)
}

// readMemory reads what programs use, which the second version of the call tells
// from what the driver keeps for itself.
func (r *gpuReader) readMemory(dev nvml.Device) (used, total nodeprobe.Measure) {
	if r.canCall(memoryV2Symbol) {
		if m, ret := dev.GetMemoryInfo_v2(); r.succeeded(ret) {
			return nodeprobe.Known(float64(m.Used) * mibPerByte), nodeprobe.Known(float64(m.Total) * mibPerByte)
		}
	}
	if r.canCall(memorySymbol) {
		if m, ret := dev.GetMemoryInfo(); r.succeeded(ret) {
			return nodeprobe.Known(float64(m.Used) * mibPerByte), nodeprobe.Known(float64(m.Total) * mibPerByte)
		}
	}
	return used, total
}

func (r *gpuReader) readClocks() {
	r.gpu.SMMHz = readNumber(r, clockSymbol, func() (uint32, nvml.Return) { return r.dev.GetClockInfo(nvml.CLOCK_SM) }, 1)
	r.gpu.MemMHz = readNumber(r, clockSymbol, func() (uint32, nvml.Return) { return r.dev.GetClockInfo(nvml.CLOCK_MEM) }, 1)
	if !r.canCall(throttleSymbol) {
		return
	}
	if mask, ret := r.dev.GetCurrentClocksThrottleReasons(); r.succeeded(ret) {
		r.gpu.Throttle = &nodeprobe.Throttle{Reasons: reasonNames(mask)}
	}
}

// throttleReasons names the bits that mean slower than asked for. Idling and clocks
// set by the user or for a display are none.
var throttleReasons = []struct {
	bit  uint64
	name string
}{
	{nvml.ClocksThrottleReasonHwSlowdown, "hw_slowdown"},
	{nvml.ClocksThrottleReasonHwThermalSlowdown, "hw_thermal"},
	{nvml.ClocksThrottleReasonHwPowerBrakeSlowdown, "power_brake"},
	{nvml.ClocksThrottleReasonSwPowerCap, "power_cap"},
	{nvml.ClocksThrottleReasonSwThermalSlowdown, "sw_thermal"},
	{nvml.ClocksThrottleReasonSyncBoost, "sync_boost"},
}

func reasonNames(mask uint64) []string {
	out := []string{}
	for _, t := range throttleReasons {
		if mask&t.bit != 0 {
			out = append(out, t.name)
		}
	}
	slices.Sort(out)
	return out
}
