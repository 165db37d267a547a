//go:build cgo

package nvml

import (
	"encoding/binary"
	"math"

	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"fairbridge/nodeprobe"
)

var (
	pcieGen    = symbol("nvmlDeviceGetCurrPcieLinkGeneration")
	pcieWidth  = symbol("nvmlDeviceGetCurrPcieLinkWidth")
	pcieReplay = symbol("nvmlDeviceGetPcieReplayCounter")
	fields     = symbol("nvmlDeviceGetFieldValues")
)

func (r *reader) links() {
	l := &r.g.Links
	l.PCIeGen = number(r, pcieGen, r.dev.GetCurrPcieLinkGeneration, 1)
	l.PCIeWidth = number(r, pcieWidth, r.dev.GetCurrPcieLinkWidth, 1)
	l.Replays = number(r, pcieReplay, r.dev.GetPcieReplayCounter, 1)
	r.traffic(l)
}

// traffic reads counters by field: the older call for PCIe throughput measures
// for 20 ms each time.
func (r *reader) traffic(l *nodeprobe.Links) {
	if !r.may(fields) {
		return
	}
	const all = math.MaxUint32 // every NVLink of the GPU together
	f := []nvml.FieldValue{
		{FieldId: nvml.FI_DEV_PCIE_COUNT_TX_BYTES}, {FieldId: nvml.FI_DEV_PCIE_COUNT_RX_BYTES},
		{FieldId: nvml.FI_DEV_NVLINK_THROUGHPUT_DATA_TX, ScopeId: all}, {FieldId: nvml.FI_DEV_NVLINK_THROUGHPUT_DATA_RX, ScopeId: all},
	}
	if !r.good(r.dev.GetFieldValues(f)) {
		return
	}
	l.PCIeTX, l.PCIeRX = field(f[0], 1), field(f[1], 1)
	l.NVLinkTX, l.NVLinkRX = field(f[2], 1024), field(f[3], 1024) // counted in KiB
}

// field returns an integer field's value times the unit. A kind of value that
// a counter cannot have is unknown.
func field(f nvml.FieldValue, unit float64) nodeprobe.Measure {
	if nvml.Return(f.NvmlReturn) != nvml.SUCCESS {
		return nodeprobe.Measure{}
	}
	v := binary.NativeEndian.Uint64(f.Value[:])
	switch nvml.ValueType(f.ValueType) {
	case nvml.VALUE_TYPE_UNSIGNED_INT:
		v = uint64(binary.NativeEndian.Uint32(f.Value[:]))
	case nvml.VALUE_TYPE_UNSIGNED_LONG, nvml.VALUE_TYPE_UNSIGNED_LONG_LONG:
	default:
		return nodeprobe.Measure{}
	}
	return nodeprobe.Known(float64(v) * unit)
}
