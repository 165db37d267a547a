// Package nodeprobe is what is measured of a node's GPUs: the sample that the
// probe of a node serves and the bridge pulls, who uses each GPU, and whether
// a GPU should be given out. It is plain values; reading the driver is in
// nvml, finding the job of a process in owner, serving in serve.
package nodeprobe

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
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

// fatalTextByXid are the Xids after which a GPU must not be given out until it was
// reset or replaced, by NVIDIA's catalogue. The others are a program's fault
// (13, 31, 43, 45 …) or harmless to the next job.
var fatalTextByXid = map[int]string{
	48:  "double-bit ECC error",
	62:  "internal micro-controller halt",
	64:  "page retirement or row remapping failed",
	74:  "NVLink error",
	79:  "fallen off the bus",
	95:  "uncontained ECC error",
	109: "context switch timeout",
	119: "GSP timeout",
	120: "GSP error",
	136: "link training failed",
	140: "unrecovered ECC error",
	142: "interrupt storm",
	143: "initialisation failed",
	155: "NVLink degraded",
	156: "resource retirement",
	158: "fatal GPU timeout",
}

// FatalXidText returns what the Xid means when the GPU must not be used after it, and
// "" when the next job may run.
func FatalXidText(xid int) string { return fatalTextByXid[xid] }

// IsWorseXid reports whether a says more against a GPU than b. Nil says nothing.
func IsWorseXid(a, b *Xid) bool {
	switch {
	case a == nil || b == nil:
		return a != nil
	case (FatalXidText(a.Code) != "") != (FatalXidText(b.Code) != ""):
		return FatalXidText(a.Code) != ""
	}
	return a.HeardAt.After(b.HeardAt)
}

// FindSickness returns why nothing should be placed on the GPU, "" when nothing
// speaks against it. Readings that are unknown speak for nothing.
func FindSickness(g *GPU) string {
	e := &g.Errors
	switch {
	case g.LostReason != "":
		return g.LostReason
	case e.Xid != nil && FatalXidText(e.Xid.Code) != "":
		return fmt.Sprintf("Xid %d: %s", e.Xid.Code, FatalXidText(e.Xid.Code))
	case e.RemapFailed.Value > 0:
		return "a faulty memory row could not be replaced"
	case e.ECCUncorrected.Value > 0:
		return "uncorrectable ECC errors since the driver was loaded"
	case e.RetiredPending.Value > 0:
		return "a faulty memory page waits for a reset to be retired"
	}
	return ""
}

// Metric is a number of a GPU, as the tags of its field declare it. What
// serves, prints or keeps numbers walks Metrics; a number without the tag
// "metric" is in the JSON only.
type Metric struct {
	Name         string      // tag metric, in base units, a promise; what ends in _total only grows
	Labels       [][2]string // tag metric after the comma: a label that tells fields of one name apart
	Help         string      // tag help
	Scale        float64     // tag unit: from the field's to the base unit
	TableHeading string      // tag once: heading in the table of --once; fields of one heading stand side by side
	StoredColumn string      // tag store: column of the readings that fairbridge keeps; "": it keeps none
	fieldIndex   []int
}

// Metrics are the numbers of a GPU in the order of their fields.
var Metrics = findMetrics(reflect.TypeFor[GPU](), nil)

// factorByUnit are the field units that are no base units.
var factorByUnit = map[string]float64{"": 1, "MiB": 1 << 20, "MHz": 1e6}

func findMetrics(t reflect.Type, path []int) []Metric {
	var out []Metric
	for i := range t.NumField() {
		f := t.Field(i)
		at := append(path[:len(path):len(path)], i)
		if tag := f.Tag.Get("metric"); tag != "" {
			name, label, _ := strings.Cut(tag, ",")
			m := Metric{Name: name, Help: f.Tag.Get("help"), Scale: factorByUnit[f.Tag.Get("unit")], TableHeading: f.Tag.Get("once"), StoredColumn: f.Tag.Get("store"), fieldIndex: at}
			if key, value, ok := strings.Cut(label, "="); ok {
				m.Labels = [][2]string{{key, value}}
			}
			out = append(out, m)
		} else if f.Type.Kind() == reflect.Struct {
			out = append(out, findMetrics(f.Type, at)...)
		}
	}
	return out
}

// ValueOf returns the GPU's reading, in the field's unit.
func (m *Metric) ValueOf(g *GPU) OptionalValue {
	return reflect.ValueOf(g).Elem().FieldByIndex(m.fieldIndex).Interface().(OptionalValue)
}

// IsCounter reports whether the number only grows.
func (m *Metric) IsCounter() bool { return strings.HasSuffix(m.Name, "_total") }

// IsRatio reports whether the number is a share, 0..1.
func (m *Metric) IsRatio() bool { return strings.HasSuffix(m.Name, "_ratio") }

// CompleteFrom completes a fresh sample: it keeps from the one before (nil: none)
// what a restarted reader cannot know, says which GPUs are sick, and adds the
// processes up by job.
func (s *Sample) CompleteFrom(before *Sample) {
	if before != nil {
		s.keepOldFaults(before.GPUs)
	}
	for i := range s.GPUs {
		s.GPUs[i].SickReason = FindSickness(&s.GPUs[i])
	}
	s.Jobs = JobsOnGPUs(s.GPUs)
}

// keepOldFaults keeps Xids, which the driver tells once, and GPUs that the driver no
// longer lists. Restarting the probe, as a GPU reset needs, forgets both.
func (s *Sample) keepOldFaults(before []GPU) {
	for i := range before {
		old := &before[i]
		at := slices.IndexFunc(s.GPUs, func(g GPU) bool { return isSameDevice(&g, old) })
		if at < 0 {
			s.GPUs = append(s.GPUs, newLostGPU(old))
			continue
		}
		if now := &s.GPUs[at].Errors.Xid; IsWorseXid(old.Errors.Xid, *now) {
			*now = old.Errors.Xid
		}
	}
	slices.SortStableFunc(s.GPUs, func(a, b GPU) int { return a.Index - b.Index })
}

// isSameDevice reports whether two readings are of one device. A device without an
// identity is known by its place.
func isSameDevice(a, b *GPU) bool {
	if a.UUID == "" || b.UUID == "" {
		return a.Index == b.Index
	}
	return a.UUID == b.UUID
}

func newLostGPU(g *GPU) GPU {
	return GPU{
		Index: g.Index, UUID: g.UUID, Model: g.Model, MinorNumber: g.MinorNumber, PCIBusID: g.PCIBusID,
		LostReason: "the driver no longer lists it", Errors: Errors{Xid: g.Errors.Xid},
	}
}
