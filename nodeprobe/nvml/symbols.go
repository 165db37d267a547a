//go:build cgo

package nvml

import "slices"

// The functions used, by the name of their first version. The numbered ones
// stand in for each other: go-nvml calls the newest there is.
const (
	start         = "nvmlInit"
	shutdown      = "nvmlShutdown"
	driverVersion = "nvmlSystemGetDriverVersion"
	cudaVersion   = "nvmlSystemGetCudaDriverVersion_v2"
	count         = "nvmlDeviceGetCount"
	handle        = "nvmlDeviceGetHandleByIndex"
	uuid          = "nvmlDeviceGetUUID"
	name          = "nvmlDeviceGetName"
	minor         = "nvmlDeviceGetMinorNumber"
	pci           = "nvmlDeviceGetPciInfo"
	utilisation   = "nvmlDeviceGetUtilizationRates"
	memory        = "nvmlDeviceGetMemoryInfo"
	memory2       = "nvmlDeviceGetMemoryInfo_v2"
	power         = "nvmlDeviceGetPowerUsage"
	powerLimit    = "nvmlDeviceGetEnforcedPowerLimit"
	energy        = "nvmlDeviceGetTotalEnergyConsumption"
	temperature   = "nvmlDeviceGetTemperature"
	clock         = "nvmlDeviceGetClockInfo"
	throttle      = "nvmlDeviceGetCurrentClocksThrottleReasons"
	pcieGen       = "nvmlDeviceGetCurrPcieLinkGeneration"
	pcieWidth     = "nvmlDeviceGetCurrPcieLinkWidth"
	pcieReplay    = "nvmlDeviceGetPcieReplayCounter"
	fields        = "nvmlDeviceGetFieldValues"
	ecc           = "nvmlDeviceGetTotalEccErrors"
	retired       = "nvmlDeviceGetRetiredPages"
	retiredWaits  = "nvmlDeviceGetRetiredPagesPendingStatus"
	remapped      = "nvmlDeviceGetRemappedRows"
	migMode       = "nvmlDeviceGetMigMode"
	migMax        = "nvmlDeviceGetMaxMigDeviceCount"
	migHandle     = "nvmlDeviceGetMigDeviceHandleByIndex"
	migInstance   = "nvmlDeviceGetGpuInstanceId"
	migCompute    = "nvmlDeviceGetComputeInstanceId"
	compute       = "nvmlDeviceGetComputeRunningProcesses"
	graphics      = "nvmlDeviceGetGraphicsRunningProcesses"
	events        = "nvmlEventSetCreate"
	eventsEnd     = "nvmlEventSetFree"
	eventsOf      = "nvmlDeviceRegisterEvents"
	eventsWait    = "nvmlEventSetWait"
)

// versions are the exported names of one function.
var versions = map[string][]string{
	start:      {"nvmlInit", "nvmlInit_v2"},
	count:      {"nvmlDeviceGetCount", "nvmlDeviceGetCount_v2"},
	handle:     {"nvmlDeviceGetHandleByIndex", "nvmlDeviceGetHandleByIndex_v2"},
	pci:        {"nvmlDeviceGetPciInfo", "nvmlDeviceGetPciInfo_v2", "nvmlDeviceGetPciInfo_v3"},
	compute:    {compute, compute + "_v2", compute + "_v3"},
	graphics:   {graphics, graphics + "_v2", graphics + "_v3"},
	eventsWait: {eventsWait, eventsWait + "_v2"},
}

var wanted = []string{
	start, shutdown, driverVersion, cudaVersion, count, handle, uuid, name, minor, pci, utilisation, memory, memory2,
	power, powerLimit, energy, temperature, clock, throttle, pcieGen, pcieWidth, pcieReplay, fields, ecc, retired,
	retiredWaits, remapped, migMode, migMax, migHandle, migInstance, migCompute, compute, graphics, events, eventsEnd,
	eventsOf, eventsWait,
}

// symbols says which functions the library has.
type symbols map[string]bool

// looker finds a symbol in a loaded library.
type looker interface{ Lookup(string) error }

func lookUp(lib looker) symbols {
	s := symbols{}
	for _, name := range wanted {
		names := versions[name]
		if names == nil {
			names = []string{name}
		}
		s[name] = slices.ContainsFunc(names, func(n string) bool { return lib.Lookup(n) == nil })
	}
	return s
}

func (s symbols) has(name string) bool { return s[name] }

func (s symbols) missing() []string {
	var out []string
	for _, name := range wanted {
		if !s[name] {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// unusable names what nothing works without.
func (s symbols) unusable() string {
	for _, name := range []string{start, count, handle} {
		if !s[name] {
			return "the library lacks " + name + ": is it NVIDIA's?"
		}
	}
	return ""
}
