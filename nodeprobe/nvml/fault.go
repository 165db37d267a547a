//go:build cgo

package nvml

import (
	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"fairbridge/nodeprobe"
)

var (
	eccSymbol            = newestSymbol("nvmlDeviceGetTotalEccErrors")
	retiredSymbol        = newestSymbol("nvmlDeviceGetRetiredPages")
	retiredPendingSymbol = newestSymbol("nvmlDeviceGetRetiredPagesPendingStatus")
	remappedSymbol       = newestSymbol("nvmlDeviceGetRemappedRows")
)

func (r *gpuReader) readErrors() {
	e := &r.gpu.Errors
	e.Corrected = r.readECC(nvml.MEMORY_ERROR_TYPE_CORRECTED, nvml.VOLATILE_ECC)
	e.Uncorrected = r.readECC(nvml.MEMORY_ERROR_TYPE_UNCORRECTED, nvml.VOLATILE_ECC)
	e.UncorrectedAll = r.readECC(nvml.MEMORY_ERROR_TYPE_UNCORRECTED, nvml.AGGREGATE_ECC)
	e.Retired = r.readRetiredPages()
	if r.canCall(retiredPendingSymbol) {
		if s, ret := r.dev.GetRetiredPagesPendingStatus(); r.succeeded(ret) {
			e.RetiredPending = measureOfBool(s == nvml.FEATURE_ENABLED)
		}
	}
	if r.canCall(remappedSymbol) {
		if _, rows, pending, failed, ret := r.dev.GetRemappedRows(); r.succeeded(ret) {
			e.Remapped, e.RemapPending, e.RemapFailed = nodeprobe.Known(float64(rows)), measureOfBool(pending), measureOfBool(failed)
		}
	}
}

func (r *gpuReader) readECC(kind nvml.MemoryErrorType, since nvml.EccCounterType) nodeprobe.Measure {
	return readNumber(r, eccSymbol, func() (uint64, nvml.Return) { return r.dev.GetTotalEccErrors(kind, since) }, 1)
}

// readRetiredPages counts the pages retired for either cause, known when both are.
func (r *gpuReader) readRetiredPages() nodeprobe.Measure {
	sum := 0
	for _, cause := range []nvml.PageRetirementCause{
		nvml.PAGE_RETIREMENT_CAUSE_MULTIPLE_SINGLE_BIT_ECC_ERRORS, nvml.PAGE_RETIREMENT_CAUSE_DOUBLE_BIT_ECC_ERROR,
	} {
		if !r.canCall(retiredSymbol) {
			return nodeprobe.Measure{}
		}
		pages, ret := r.dev.GetRetiredPages(cause)
		if !r.succeeded(ret) {
			return nodeprobe.Measure{}
		}
		sum += len(pages)
	}
	return nodeprobe.Known(float64(sum))
}

func measureOfBool(b bool) nodeprobe.Measure {
	if b {
		return nodeprobe.Known(1)
	}
	return nodeprobe.Known(0)
}
