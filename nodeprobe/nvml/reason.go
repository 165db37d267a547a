//go:build cgo

package nvml

import (
	"fmt"

	"github.com/NVIDIA/go-nvml/pkg/nvml"
)

// describeReturn puts a return code in words. NVML's own are not used: the function
// that has them may be missing.
func describeReturn(ret nvml.Return) string {
	if s := textByReturn[ret]; s != "" {
		return s
	}
	return fmt.Sprintf("NVML error %d", int32(ret))
}

var textByReturn = map[nvml.Return]string{
	nvml.ERROR_UNINITIALIZED:           "NVML is not started",
	nvml.ERROR_INVALID_ARGUMENT:        "NVML refuses the argument",
	nvml.ERROR_NOT_SUPPORTED:           "not supported",
	nvml.ERROR_NO_PERMISSION:           "no permission: does the service see /dev/nvidiactl?",
	nvml.ERROR_NOT_FOUND:               "not found",
	nvml.ERROR_INSUFFICIENT_POWER:      "a GPU's power cable is not attached",
	nvml.ERROR_DRIVER_NOT_LOADED:       "the driver is not loaded: see lsmod and dmesg",
	nvml.ERROR_TIMEOUT:                 "the driver timed out",
	nvml.ERROR_IRQ_ISSUE:               "a GPU's interrupts do not arrive",
	nvml.ERROR_LIBRARY_NOT_FOUND:       "the library is not found",
	nvml.ERROR_GPU_IS_LOST:             "the GPU has fallen off the bus",
	nvml.ERROR_RESET_REQUIRED:          "the GPU needs a reset",
	nvml.ERROR_LIB_RM_VERSION_MISMATCH: "library and kernel driver are of different versions: reload the driver or reboot",
	nvml.ERROR_IN_USE:                  "in use",
	nvml.ERROR_MEMORY:                  "out of memory",
	nvml.ERROR_OPERATING_SYSTEM:        "the operating system refuses access to the GPU",
	nvml.ERROR_UNKNOWN:                 "unknown NVML error",
}

// meansNoHandle tells the codes with which a GPU that could be had before, or that
// the driver counts, is refused: nvidia-smi's "unable to determine the device
// handle" is how a GPU that fell off the bus often shows.
func meansNoHandle(ret nvml.Return) bool {
	return ret == nvml.ERROR_NOT_FOUND || ret == nvml.ERROR_INVALID_ARGUMENT || ret == nvml.ERROR_UNKNOWN ||
		ret == nvml.ERROR_GPU_NOT_FOUND || ret == nvml.ERROR_CORRUPTED_INFOROM
}

// meansStaleDriver tells the codes of a driver that was unloaded or exchanged since it was
// opened. It has to be opened anew.
func meansStaleDriver(ret nvml.Return) bool {
	return ret == nvml.ERROR_UNINITIALIZED || ret == nvml.ERROR_DRIVER_NOT_LOADED || ret == nvml.ERROR_LIB_RM_VERSION_MISMATCH
}

// meansLostGPU tells the codes after which a GPU is unusable.
func meansLostGPU(ret nvml.Return) bool {
	return ret == nvml.ERROR_GPU_IS_LOST || ret == nvml.ERROR_RESET_REQUIRED || ret == nvml.ERROR_IRQ_ISSUE ||
		ret == nvml.ERROR_INSUFFICIENT_POWER
}
