//go:build cgo

package nvml

import (
	"slices"
)

// The functions that nothing, or no GPU, can be had without.
var (
	initLibrarySymbol   = newestSymbol("nvmlInit", "nvmlInit_v2")
	shutdownSymbol      = newestSymbol("nvmlShutdown")
	driverVersionSymbol = newestSymbol("nvmlSystemGetDriverVersion")
	cudaVersionSymbol   = newestSymbol("nvmlSystemGetCudaDriverVersion_v2")
	deviceCountSymbol   = newestSymbol("nvmlDeviceGetCount", "nvmlDeviceGetCount_v2")
	deviceHandleSymbol  = newestSymbol("nvmlDeviceGetHandleByIndex", "nvmlDeviceGetHandleByIndex_v2")
	deviceUUIDSymbol    = newestSymbol("nvmlDeviceGetUUID")
	deviceNameSymbol    = newestSymbol("nvmlDeviceGetName")
	minorNumberSymbol   = newestSymbol("nvmlDeviceGetMinorNumber")
	pciInfoSymbol       = newestSymbol("nvmlDeviceGetPciInfo", "nvmlDeviceGetPciInfo_v2", "nvmlDeviceGetPciInfo_v3")
)

// versionsBySymbol are the exported names of every function used, by the name of its
// first version. They stand in for each other: go-nvml calls the newest there
// is.
var versionsBySymbol = map[string][]string{}

// newestSymbol declares a function that is used, with its later versions.
func newestSymbol(name string, later ...string) string {
	versionsBySymbol[name] = append([]string{name}, later...)
	return name
}

// symbolSet says which functions the library has.
type symbolSet map[string]bool

// symbolLibrary finds a symbol in a loaded library.
type symbolLibrary interface{ Lookup(string) error }

func findSymbols(lib symbolLibrary) symbolSet {
	s := symbolSet{}
	for name, names := range versionsBySymbol {
		s[name] = slices.ContainsFunc(names, func(n string) bool { return lib.Lookup(n) == nil })
	}
	return s
}

func (s symbolSet) hasSymbol(name string) bool { return s[name] }

func (s symbolSet) listMissing() []string {
	var out []string
	for name, there := range s {
		if !there {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// findMissingVital names what nothing works without.
func (s symbolSet) findMissingVital() string {
	for _, name := range []string{initLibrarySymbol, deviceCountSymbol, deviceHandleSymbol} {
		if !s[name] {
			return "the library lacks " + name + ": is it NVIDIA's?"
		}
	}
	return ""
}
