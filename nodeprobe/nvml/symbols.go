//go:build cgo

package nvml

import (
	"slices"
)

// The functions that nothing, or no GPU, can be had without.
var (
	initLibrarySymbol   = symbol("nvmlInit", "nvmlInit_v2")
	shutdownSymbol      = symbol("nvmlShutdown")
	driverVersionSymbol = symbol("nvmlSystemGetDriverVersion")
	cudaVersionSymbol   = symbol("nvmlSystemGetCudaDriverVersion_v2")
	countSymbol         = symbol("nvmlDeviceGetCount", "nvmlDeviceGetCount_v2")
	handleSymbol        = symbol("nvmlDeviceGetHandleByIndex", "nvmlDeviceGetHandleByIndex_v2")
	uuidSymbol          = symbol("nvmlDeviceGetUUID")
	nameSymbol          = symbol("nvmlDeviceGetName")
	minorSymbol         = symbol("nvmlDeviceGetMinorNumber")
	pciSymbol           = symbol("nvmlDeviceGetPciInfo", "nvmlDeviceGetPciInfo_v2", "nvmlDeviceGetPciInfo_v3")
)

// versions are the exported names of every function used, by the name of its
// first version. They stand in for each other: go-nvml calls the newest there
// is.
var versions = map[string][]string{}

// symbol declares a function that is used, with its later versions.
func symbol(name string, later ...string) string {
	versions[name] = append([]string{name}, later...)
	return name
}

// symbols says which functions the library has.
type symbols map[string]bool

// library finds a symbol in a loaded library.
type library interface{ Lookup(string) error }

func findSymbols(lib library) symbols {
	s := symbols{}
	for name, names := range versions {
		s[name] = slices.ContainsFunc(names, func(n string) bool { return lib.Lookup(n) == nil })
	}
	return s
}

func (s symbols) has(name string) bool { return s[name] }

func (s symbols) missing() []string {
	var out []string
	for name, there := range s {
		if !there {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// unusable names what nothing works without.
func (s symbols) unusable() string {
	for _, name := range []string{initLibrarySymbol, countSymbol, handleSymbol} {
		if !s[name] {
			return "the library lacks " + name + ": is it NVIDIA's?"
		}
	}
	return ""
}
