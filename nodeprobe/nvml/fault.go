//go:build cgo

package nvml

import (
	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"fairbridge/nodeprobe"
)

var (
	ecc            = symbol("nvmlDeviceGetTotalEccErrors")
	retired        = symbol("nvmlDeviceGetRetiredPages")
	retiredPending = symbol("nvmlDeviceGetRetiredPagesPendingStatus")
	remapped       = symbol("nvmlDeviceGetRemappedRows")
)

func (r *reader) errors() {
	e := &r.g.Errors
	e.Corrected = r.ecc(nvml.MEMORY_ERROR_TYPE_CORRECTED, nvml.VOLATILE_ECC)
	e.Uncorrected = r.ecc(nvml.MEMORY_ERROR_TYPE_UNCORRECTED, nvml.VOLATILE_ECC)
	e.UncorrectedAll = r.ecc(nvml.MEMORY_ERROR_TYPE_UNCORRECTED, nvml.AGGREGATE_ECC)
	e.Retired = r.retired()
	if r.may(retiredPending) {
		if s, ret := r.dev.GetRetiredPagesPendingStatus(); r.good(ret) {
			e.RetiredPending = yes(s == nvml.FEATURE_ENABLED)
		}
	}
	if r.may(remapped) {
		if _, rows, pending, failed, ret := r.dev.GetRemappedRows(); r.good(ret) {
			e.Remapped, e.RemapPending, e.RemapFailed = nodeprobe.Known(float64(rows)), yes(pending), yes(failed)
		}
	}
}

func (r *reader) ecc(kind nvml.MemoryErrorType, since nvml.EccCounterType) nodeprobe.Measure {
	return number(r, ecc, func() (uint64, nvml.Return) { return r.dev.GetTotalEccErrors(kind, since) }, 1)
}

// retired counts the pages retired for either cause, known when both are.
func (r *reader) retired() nodeprobe.Measure {
	sum := 0
	for _, cause := range []nvml.PageRetirementCause{
		nvml.PAGE_RETIREMENT_CAUSE_MULTIPLE_SINGLE_BIT_ECC_ERRORS, nvml.PAGE_RETIREMENT_CAUSE_DOUBLE_BIT_ECC_ERROR,
	} {
		if !r.may(retired) {
			return nodeprobe.Measure{}
		}
		pages, ret := r.dev.GetRetiredPages(cause)
		if !r.good(ret) {
			return nodeprobe.Measure{}
		}
		sum += len(pages)
	}
	return nodeprobe.Known(float64(sum))
}

func yes(b bool) nodeprobe.Measure {
	if b {
		return nodeprobe.Known(1)
	}
	return nodeprobe.Known(0)
}
