//go:build cgo

package nvml

import (
	"encoding/binary"
	"math"

	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"fairbridge/nodeprobe"
)

var (
	pcieGenSymbol     = newestSymbol("nvmlDeviceGetCurrPcieLinkGeneration")
	pcieWidthSymbol   = newestSymbol("nvmlDeviceGetCurrPcieLinkWidth")
	pcieReplaySymbol  = newestSymbol("nvmlDeviceGetPcieReplayCounter")
	fieldValuesSymbol = newestSymbol("nvmlDeviceGetFieldValues")
)

func (r *gpuReader) readLinks() {
	l := &r.gpu.Links
	l.PCIeGen = readNumber(r, pcieGenSymbol, r.device.GetCurrPcieLinkGeneration, 1)
	l.PCIeWidth = readNumber(r, pcieWidthSymbol, r.device.GetCurrPcieLinkWidth, 1)
	l.PCIeReplays = readNumber(r, pcieReplaySymbol, r.device.GetPcieReplayCounter, 1)
	r.readTraffic(l)
}

// readTraffic reads counters by field: the older call for PCIe throughput measures
// for 20 ms each time.
func (r *gpuReader) readTraffic(l *nodeprobe.LinkCounters) {
	if !r.canCall(fieldValuesSymbol) {
		return
	}
	const all = math.MaxUint32 // every NVLink of the GPU together
	f := []nvml.FieldValue{
		{FieldId: nvml.FI_DEV_PCIE_COUNT_TX_BYTES}, {FieldId: nvml.FI_DEV_PCIE_COUNT_RX_BYTES},
		{FieldId: nvml.FI_DEV_NVLINK_THROUGHPUT_DATA_TX, ScopeId: all}, {FieldId: nvml.FI_DEV_NVLINK_THROUGHPUT_DATA_RX, ScopeId: all},
	}
	if !r.isSuccess(r.device.GetFieldValues(f)) {
		return
	}
	l.PCIeTX, l.PCIeRX = measureOfField(f[0], 1), measureOfField(f[1], 1)
	l.NVLinkTX, l.NVLinkRX = measureOfField(f[2], 1024), measureOfField(f[3], 1024) // counted in KiB
}

// measureOfField returns an integer field's value times the unit. A kind of value that
// a counter cannot have is unknown.
func measureOfField(f nvml.FieldValue, unit float64) nodeprobe.OptionalValue {
	if nvml.Return(f.NvmlReturn) != nvml.SUCCESS {
		return nodeprobe.OptionalValue{}
	}
	v := binary.NativeEndian.Uint64(f.Value[:])
	switch nvml.ValueType(f.ValueType) {
	case nvml.VALUE_TYPE_UNSIGNED_INT:
		v = uint64(binary.NativeEndian.Uint32(f.Value[:]))
	case nvml.VALUE_TYPE_UNSIGNED_LONG, nvml.VALUE_TYPE_UNSIGNED_LONG_LONG:
	default:
		return nodeprobe.OptionalValue{}
	}
	return nodeprobe.KnownValue(float64(v) * unit)
}
