//go:build cgo

package nvml

import (
	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"fairbridge/nodeprobe"
)

var (
	eccErrorsSymbol           = newestSymbol("nvmlDeviceGetTotalEccErrors")
	retiredPagesSymbol        = newestSymbol("nvmlDeviceGetRetiredPages")
	retiredPagesPendingSymbol = newestSymbol("nvmlDeviceGetRetiredPagesPendingStatus")
	remappedRowsSymbol        = newestSymbol("nvmlDeviceGetRemappedRows")
)

func (r *gpuReader) readErrors() {
	e := &r.gpu.Errors
	e.ECCCorrected = r.readECC(nvml.MEMORY_ERROR_TYPE_CORRECTED, nvml.VOLATILE_ECC)
	e.ECCUncorrected = r.readECC(nvml.MEMORY_ERROR_TYPE_UNCORRECTED, nvml.VOLATILE_ECC)
	e.UncorrectedInLife = r.readECC(nvml.MEMORY_ERROR_TYPE_UNCORRECTED, nvml.AGGREGATE_ECC)
	e.RetiredPages = r.readRetiredPages()
	if r.canCall(retiredPagesPendingSymbol) {
		if s, ret := r.device.GetRetiredPagesPendingStatus(); r.isSuccess(ret) {
			e.RetiredPending = measureOfBool(s == nvml.FEATURE_ENABLED)
		}
	}
	if r.canCall(remappedRowsSymbol) {
		if _, rows, pending, failed, ret := r.device.GetRemappedRows(); r.isSuccess(ret) {
			e.RemappedRows, e.RemapPending, e.RemapFailed = nodeprobe.KnownValue(float64(rows)), measureOfBool(pending), measureOfBool(failed)
		}
	}
}

func (r *gpuReader) readECC(kind nvml.MemoryErrorType, since nvml.EccCounterType) nodeprobe.OptionalValue {
	return readNumber(r, eccErrorsSymbol, func() (uint64, nvml.Return) { return r.device.GetTotalEccErrors(kind, since) }, 1)
}

// readRetiredPages counts the pages retired for either cause, known when both are.
func (r *gpuReader) readRetiredPages() nodeprobe.OptionalValue {
	sum := 0
	for _, cause := range []nvml.PageRetirementCause{
		nvml.PAGE_RETIREMENT_CAUSE_MULTIPLE_SINGLE_BIT_ECC_ERRORS, nvml.PAGE_RETIREMENT_CAUSE_DOUBLE_BIT_ECC_ERROR,
	} {
		if !r.canCall(retiredPagesSymbol) {
			return nodeprobe.OptionalValue{}
		}
		pages, ret := r.device.GetRetiredPages(cause)
		if !r.isSuccess(ret) {
			return nodeprobe.OptionalValue{}
		}
		sum += len(pages)
	}
	return nodeprobe.KnownValue(float64(sum))
}

func measureOfBool(b bool) nodeprobe.OptionalValue {
	if b {
		return nodeprobe.KnownValue(1)
	}
	return nodeprobe.KnownValue(0)
}
