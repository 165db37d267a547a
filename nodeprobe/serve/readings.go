package serve

import (
	"github.com/prometheus/client_golang/prometheus"

	"fairbridge/nodeprobe"
)

const (
	mib = 1 << 20
	mhz = 1e6
)

type measured = func(*nodeprobe.GPU) nodeprobe.Measure

// readings are the numbers of a GPU. Their names and units are a promise.
var readings = []reading{
	of("utilization_ratio", "Share of time with a kernel running.", 1, func(g *nodeprobe.GPU) nodeprobe.Measure { return g.Busy }),
	of("memory_utilization_ratio", "Share of time with memory read or written.", 1, func(g *nodeprobe.GPU) nodeprobe.Measure { return g.MemBusy }),
	of("memory_used_bytes", "Memory in use.", mib, func(g *nodeprobe.GPU) nodeprobe.Measure { return g.MemUsedMB }),
	of("memory_total_bytes", "Memory there is.", mib, func(g *nodeprobe.GPU) nodeprobe.Measure { return g.MemTotalMB }),
	of("power_watts", "Power drawn.", 1, func(g *nodeprobe.GPU) nodeprobe.Measure { return g.Watts }),
	of("power_limit_watts", "Power allowed.", 1, func(g *nodeprobe.GPU) nodeprobe.Measure { return g.WattsLimit }),
	sum("energy_joules_total", "Energy since the driver was loaded.", func(g *nodeprobe.GPU) nodeprobe.Measure { return g.Joules }),
	of("temperature_celsius", "Temperature of the chip.", 1, func(g *nodeprobe.GPU) nodeprobe.Measure { return g.TempC }),
	of("sm_clock_hertz", "Clock of the processors.", mhz, func(g *nodeprobe.GPU) nodeprobe.Measure { return g.SMMHz }),
	of("memory_clock_hertz", "Clock of the memory.", mhz, func(g *nodeprobe.GPU) nodeprobe.Measure { return g.MemMHz }),
	of("pcie_generation", "PCIe generation in use.", 1, func(g *nodeprobe.GPU) nodeprobe.Measure { return g.Links.PCIeGen }),
	of("pcie_width", "PCIe lanes in use.", 1, func(g *nodeprobe.GPU) nodeprobe.Measure { return g.Links.PCIeWidth }),
	sum("pcie_replays_total", "PCIe packets sent again.", func(g *nodeprobe.GPU) nodeprobe.Measure { return g.Links.Replays }),
	sum("pcie_bytes_total", "Bytes over PCIe.", func(g *nodeprobe.GPU) nodeprobe.Measure { return g.Links.PCIeTX }, "direction", "tx"),
	sum("pcie_bytes_total", "Bytes over PCIe.", func(g *nodeprobe.GPU) nodeprobe.Measure { return g.Links.PCIeRX }, "direction", "rx"),
	sum("nvlink_bytes_total", "Bytes over NVLink.", func(g *nodeprobe.GPU) nodeprobe.Measure { return g.Links.NVLinkTX }, "direction", "tx"),
	sum("nvlink_bytes_total", "Bytes over NVLink.", func(g *nodeprobe.GPU) nodeprobe.Measure { return g.Links.NVLinkRX }, "direction", "rx"),
	sum("ecc_errors_total", "Memory errors since the driver was loaded.", func(g *nodeprobe.GPU) nodeprobe.Measure { return g.Errors.Corrected }, "kind", "corrected"),
	sum("ecc_errors_total", "Memory errors since the driver was loaded.", func(g *nodeprobe.GPU) nodeprobe.Measure { return g.Errors.Uncorrected }, "kind", "uncorrected"),
	of("retired_pages", "Memory pages retired.", 1, func(g *nodeprobe.GPU) nodeprobe.Measure { return g.Errors.Retired }),
	of("retired_pages_pending", "1 when a page waits for a reset to be retired.", 1, func(g *nodeprobe.GPU) nodeprobe.Measure { return g.Errors.RetiredPending }),
	of("remapped_rows", "Memory rows replaced for uncorrectable errors.", 1, func(g *nodeprobe.GPU) nodeprobe.Measure { return g.Errors.Remapped }),
	of("remapped_rows_pending", "1 when a row waits for a reset to be replaced.", 1, func(g *nodeprobe.GPU) nodeprobe.Measure { return g.Errors.RemapPending }),
	of("remapping_failed", "1 when a row could not be replaced.", 1, func(g *nodeprobe.GPU) nodeprobe.Measure { return g.Errors.RemapFailed }),
}

// of is a gauge, in base units after scaling.
func of(name, help string, scale float64, m measured) reading {
	return reading{desc: gpuDesc(name, help), kind: prometheus.GaugeValue, of: m, scale: scale}
}

// sum is a counter, with a label where one name has several.
func sum(name, help string, m measured, label ...string) reading {
	r := reading{kind: prometheus.CounterValue, of: m, scale: 1}
	if len(label) == 2 {
		r.desc, r.labels = gpuDesc(name, help, label[0]), label[1:]
	} else {
		r.desc = gpuDesc(name, help)
	}
	return r
}

func gpuDesc(name, help string, more ...string) *prometheus.Desc {
	return desc("nodeprobe_gpu_"+name, help, labels(more...)...)
}
