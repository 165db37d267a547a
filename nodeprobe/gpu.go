package nodeprobe

import "time"

// GPU is one device. What the driver does not tell is unknown, never zero.
type GPU struct {
	Index int    `json:"index"` // NVML's, which is also nvidia-smi's
	UUID  string `json:"uuid"`
	Model string `json:"model"` // "NVIDIA A100-SXM4-80GB"
	Minor int    `json:"minor"` // the N of /dev/nvidiaN, which Slurm's IDX follows; -1 when unknown
	Bus   string `json:"bus,omitempty"`

	Busy       Measure   `json:"busy,omitzero"`         // share of the last second or so with a kernel running, 0..1
	MemBusy    Measure   `json:"mem_busy,omitzero"`     // share with memory read or written, 0..1
	MemUsedMB  Measure   `json:"mem_used_mb,omitzero"`  // MiB
	MemTotalMB Measure   `json:"mem_total_mb,omitzero"` // MiB
	Watts      Measure   `json:"watts,omitzero"`
	WattsLimit Measure   `json:"watts_limit,omitzero"`
	Joules     Measure   `json:"joules,omitzero"` // since the driver was loaded
	TempC      Measure   `json:"temp_c,omitzero"` // of the chip, °C
	SMMHz      Measure   `json:"sm_mhz,omitzero"`
	MemMHz     Measure   `json:"mem_mhz,omitzero"`
	Throttle   *Throttle `json:"throttle,omitempty"` // nil: unknown
	Links      Links     `json:"links,omitzero"`
	Errors     Errors    `json:"errors,omitzero"`

	Error string    `json:"error,omitempty"` // why it cannot be read though it may be well
	Lost  string    `json:"lost,omitempty"`  // the driver's word that the device is gone or unreachable
	Sick  string    `json:"sick,omitempty"`  // why nothing should be placed here; "" when nothing speaks against it
	MIG   bool      `json:"mig,omitempty"`   // divided into slices; Busy is then unknown
	Parts []Part    `json:"slices,omitempty"`
	Procs []Process `json:"procs,omitempty"` // sorted by pid
	// ProcsKnown tells no process (true) from no answer (false).
	ProcsKnown bool `json:"procs_known"`
}

// Part is one MIG device.
type Part struct {
	UUID       string  `json:"uuid"`
	Profile    string  `json:"profile"` // "1g.5gb"
	Instance   int     `json:"instance"`
	Compute    int     `json:"compute"`
	MemUsedMB  Measure `json:"mem_used_mb,omitzero"`  // MiB
	MemTotalMB Measure `json:"mem_total_mb,omitzero"` // MiB
}

// Throttle says what holds the clocks down.
type Throttle struct {
	Reasons []string `json:"reasons"` // sorted names as Reason has them; empty: nothing
}

// Links are the traffic counters, since the driver was loaded.
type Links struct {
	PCIeGen   Measure `json:"pcie_gen,omitzero"`
	PCIeWidth Measure `json:"pcie_width,omitzero"`
	Replays   Measure `json:"pcie_replays,omitzero"`
	PCIeTX    Measure `json:"pcie_tx_bytes,omitzero"`
	PCIeRX    Measure `json:"pcie_rx_bytes,omitzero"`
	NVLinkTX  Measure `json:"nvlink_tx_bytes,omitzero"` // all links together
	NVLinkRX  Measure `json:"nvlink_rx_bytes,omitzero"`
}

// Errors are what health is read from.
type Errors struct {
	Corrected      Measure `json:"ecc_corrected,omitzero"`   // since the driver was loaded
	Uncorrected    Measure `json:"ecc_uncorrected,omitzero"` // since the driver was loaded
	UncorrectedAll Measure `json:"ecc_uncorrected_all,omitzero"`
	Retired        Measure `json:"retired_pages,omitzero"`
	RetiredPending Measure `json:"retired_pending,omitzero"` // 0 or 1
	Remapped       Measure `json:"remapped_rows,omitzero"`   // for uncorrectable errors
	RemapPending   Measure `json:"remap_pending,omitzero"`   // 0 or 1
	RemapFailed    Measure `json:"remap_failed,omitzero"`    // 0 or 1
	Xid            *Xid    `json:"xid,omitempty"`            // the worst since the probe started; nil: none seen
	XidWatched     bool    `json:"xid_watched"`              // the driver promised to tell of Xids
}

// Xid is a driver's report of a GPU fault.
type Xid struct {
	Code  int       `json:"code"`
	At    time.Time `json:"at"` // when the probe heard of it
	Count int       `json:"count"`
}
