package nodeprobe

import (
	"time"
)

// GPU is one device. What the driver does not tell is unknown, never zero.
type GPU struct {
	Index       int    `json:"index"` // NVML's, which is also nvidia-smi's
	UUID        string `json:"uuid"`
	Model       string `json:"model"` // "NVIDIA A100-SXM4-80GB"
	MinorNumber int    `json:"minor"` // the N of /dev/nvidiaN, which Slurm's IDX follows; -1 when unknown
	PCIBusID    string `json:"bus,omitempty"`

	// The numbers, each declared by its tags: see Metric.
	Busy       OptionalValue `json:"busy,omitzero" metric:"utilization_ratio" help:"Share of time with a kernel running." once:"Busy"`
	MemBusy    OptionalValue `json:"mem_busy,omitzero" metric:"memory_utilization_ratio" help:"Share of time with memory read or written."`
	MemUsedMB  OptionalValue `json:"mem_used_mb,omitzero" metric:"memory_used_bytes" unit:"MiB" help:"Memory in use." once:"Memory MiB"`
	MemTotalMB OptionalValue `json:"mem_total_mb,omitzero" metric:"memory_total_bytes" unit:"MiB" help:"Memory there is." once:"Memory MiB"`
	Watts      OptionalValue `json:"watts,omitzero" metric:"power_watts" help:"Power drawn." once:"Watts" store:"watts"`
	WattsLimit OptionalValue `json:"watts_limit,omitzero" metric:"power_limit_watts" help:"Power allowed."`
	Joules     OptionalValue `json:"joules,omitzero" metric:"energy_joules_total" help:"Energy since the driver was loaded."`
	TempC      OptionalValue `json:"temp_c,omitzero" metric:"temperature_celsius" help:"Temperature of the chip." once:"°C"`
	SMMHz      OptionalValue `json:"sm_mhz,omitzero" metric:"sm_clock_hertz" unit:"MHz" help:"Clock of the processors."`
	MemMHz     OptionalValue `json:"mem_mhz,omitzero" metric:"memory_clock_hertz" unit:"MHz" help:"Clock of the memory."`

	Throttle *Throttle    `json:"throttle,omitempty"` // nil: unknown
	Links    LinkCounters `json:"links,omitzero"`
	Errors   Errors       `json:"errors,omitzero"`

	Error      string     `json:"error,omitempty"` // why it cannot be read though it may be well
	LostReason string     `json:"lost,omitempty"`  // the driver's word that the device is gone or unreachable
	SickReason string     `json:"sick,omitempty"`  // why nothing should be placed here; "" when nothing speaks against it
	IsMIG      bool       `json:"mig,omitempty"`   // divided into slices; Busy is then unknown
	Slices     []MIGSlice `json:"slices,omitempty"`
	Processes  []Process  `json:"procs,omitempty"` // sorted by pid
	// ProcessesKnown tells no process (true) from no answer (false).
	ProcessesKnown bool `json:"procs_known"`
}

// MIGSlice is one MIG device.
type MIGSlice struct {
	UUID            string        `json:"uuid"`
	Profile         string        `json:"profile"` // "1g.5gb"
	GPUInstance     int           `json:"instance"`
	ComputeInstance int           `json:"compute"`
	MemUsedMB       OptionalValue `json:"mem_used_mb,omitzero"`  // MiB
	MemTotalMB      OptionalValue `json:"mem_total_mb,omitzero"` // MiB
}

// Throttle says what holds the clocks down.
type Throttle struct {
	Reasons []string `json:"reasons"` // sorted names as Reason has them; empty: nothing
}

// LinkCounters are the traffic counters, since the driver was loaded.
type LinkCounters struct {
	PCIeGen     OptionalValue `json:"pcie_gen,omitzero" metric:"pcie_generation" help:"PCIe generation in use."`
	PCIeWidth   OptionalValue `json:"pcie_width,omitzero" metric:"pcie_width" help:"PCIe lanes in use."`
	PCIeReplays OptionalValue `json:"pcie_replays,omitzero" metric:"pcie_replays_total" help:"PCIe packets sent again."`
	PCIeTX      OptionalValue `json:"pcie_tx_bytes,omitzero" metric:"pcie_bytes_total,direction=tx" help:"Bytes over PCIe."`
	PCIeRX      OptionalValue `json:"pcie_rx_bytes,omitzero" metric:"pcie_bytes_total,direction=rx" help:"Bytes over PCIe."`
	NVLinkTX    OptionalValue `json:"nvlink_tx_bytes,omitzero" metric:"nvlink_bytes_total,direction=tx" help:"Bytes over NVLink."` // all links together
	NVLinkRX    OptionalValue `json:"nvlink_rx_bytes,omitzero" metric:"nvlink_bytes_total,direction=rx" help:"Bytes over NVLink."`
}

// Errors are what health is read from.
type Errors struct {
	ECCCorrected      OptionalValue `json:"ecc_corrected,omitzero" metric:"ecc_errors_total,kind=corrected" help:"Memory errors since the driver was loaded."`
	ECCUncorrected    OptionalValue `json:"ecc_uncorrected,omitzero" metric:"ecc_errors_total,kind=uncorrected" help:"Memory errors since the driver was loaded."`
	UncorrectedInLife OptionalValue `json:"ecc_uncorrected_all,omitzero"` // in the GPU's life
	RetiredPages      OptionalValue `json:"retired_pages,omitzero" metric:"retired_pages" help:"Memory pages retired."`
	RetiredPending    OptionalValue `json:"retired_pending,omitzero" metric:"retired_pages_pending" help:"1 when a page waits for a reset to be retired."`
	RemappedRows      OptionalValue `json:"remapped_rows,omitzero" metric:"remapped_rows" help:"Memory rows replaced for uncorrectable errors."`
	RemapPending      OptionalValue `json:"remap_pending,omitzero" metric:"remapped_rows_pending" help:"1 when a row waits for a reset to be replaced."`
	RemapFailed       OptionalValue `json:"remap_failed,omitzero" metric:"remapping_failed" help:"1 when a row could not be replaced."`

	Xid        *Xid `json:"xid,omitempty"` // the worst since the probe started; nil: none seen
	XidWatched bool `json:"xid_watched"`   // the driver promised to tell of Xids
}

// Xid is a driver's report of a GPU fault.
type Xid struct {
	Code    int       `json:"code"`
	HeardAt time.Time `json:"at"` // when the probe heard of it
	Count   int       `json:"count"`
}
