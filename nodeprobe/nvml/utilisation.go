//go:build cgo

package nvml

import (
	"slices"

	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"fairbridge/nodeprobe"
)

var (
	utilisationSymbol     = newestSymbol("nvmlDeviceGetUtilizationRates")
	memorySymbol          = newestSymbol("nvmlDeviceGetMemoryInfo")
	memoryV2Symbol        = newestSymbol("nvmlDeviceGetMemoryInfo_v2")
	powerSymbol           = newestSymbol("nvmlDeviceGetPowerUsage")
	powerLimitSymbol      = newestSymbol("nvmlDeviceGetEnforcedPowerLimit")
	energySymbol          = newestSymbol("nvmlDeviceGetTotalEnergyConsumption")
	temperatureSymbol     = newestSymbol("nvmlDeviceGetTemperature")
	clockInfoSymbol       = newestSymbol("nvmlDeviceGetClockInfo")
	throttleReasonsSymbol = newestSymbol("nvmlDeviceGetCurrentClocksThrottleReasons")
)

const mebibytesPerByte = 1.0 / (1 << 20)

func (r *gpuReader) readUtilisation() {
	if r.canCall(utilisationSymbol) {
		if u, ret := r.device.GetUtilizationRates(); r.isSuccess(ret) {
			r.gpu.Busy = nodeprobe.KnownValue(float64(u.Gpu) / 100)
			r.gpu.MemBusy = nodeprobe.KnownValue(float64(u.Memory) / 100)
		}
	}
	r.gpu.MemUsedMB, r.gpu.MemTotalMB = r.readMemory(r.device)
	r.gpu.Watts = readNumber(r, powerSymbol, r.device.GetPowerUsage, 1e-3)
	r.gpu.WattsLimit = readNumber(r, powerLimitSymbol, r.device.GetEnforcedPowerLimit, 1e-3)
	r.gpu.Joules = readNumber(r, energySymbol, r.device.GetTotalEnergyConsumption, 1e-3)
	r.gpu.TempC = readNumber(r, temperatureSymbol, func() (uint32, nvml.Return) { return r.device.GetTemperature(nvml.TEMPERATURE_GPU) }, 1)
}

// readMemory reads what programs use, which the second version of the call tells
// from what the driver keeps for itself.
func (r *gpuReader) readMemory(dev nvml.Device) (used, total nodeprobe.OptionalValue) {
	if r.canCall(memoryV2Symbol) {
		if m, ret := dev.GetMemoryInfo_v2(); r.isSuccess(ret) {
			return nodeprobe.KnownValue(float64(m.Used) * mebibytesPerByte), nodeprobe.KnownValue(float64(m.Total) * mebibytesPerByte)
		}
	}
	if r.canCall(memorySymbol) {
		if m, ret := dev.GetMemoryInfo(); r.isSuccess(ret) {
			return nodeprobe.KnownValue(float64(m.Used) * mebibytesPerByte), nodeprobe.KnownValue(float64(m.Total) * mebibytesPerByte)
		}
	}
	return used, total
}

func (r *gpuReader) readClocks() {
	r.gpu.SMMHz = readNumber(r, clockInfoSymbol, func() (uint32, nvml.Return) { return r.device.GetClockInfo(nvml.CLOCK_SM) }, 1)
	r.gpu.MemMHz = readNumber(r, clockInfoSymbol, func() (uint32, nvml.Return) { return r.device.GetClockInfo(nvml.CLOCK_MEM) }, 1)
	if !r.canCall(throttleReasonsSymbol) {
		return
	}
	if mask, ret := r.device.GetCurrentClocksThrottleReasons(); r.isSuccess(ret) {
		r.gpu.Throttle = &nodeprobe.Throttle{Reasons: throttleReasonNames(mask)}
	}
}

// throttleReasonBits names the bits that mean slower than asked for. Idling and clocks
// set by the user or for a display are none.
var throttleReasonBits = []struct {
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

func throttleReasonNames(mask uint64) []string {
	out := []string{}
	for _, t := range throttleReasonBits {
		if mask&t.bit != 0 {
			out = append(out, t.name)
		}
	}
	slices.Sort(out)
	return out
}
