package nodeprobe

import (
	"time"
)

// Sample is one look at every GPU of a node, as GET /v1/sample answers.
type Sample struct {
	Node       string     `json:"node"`            // as Slurm names it
	At         time.Time  `json:"at"`              // when the driver answered; zero when it never did
	AgeSeconds float64    `json:"age_seconds"`     // since At, by the probe's own steady clock when it served this
	Seq        uint64     `json:"seq"`             // samples taken since the probe started
	IsStale    bool       `json:"stale,omitempty"` // the last good look; Error says why there is none since
	Error      string     `json:"error,omitempty"` // why there is no fresh look; "" when there is
	Driver     DriverInfo `json:"driver,omitzero"` // zero without one
	GPUs       []GPU      `json:"gpus"`            // by index
	Jobs       []JobUse   `json:"jobs,omitempty"`  // who uses them, sorted by job and SLUID
	// ProgressReports are what jobs said of their progress, whether or not GPUs can be
	// read; sorted by job and SLUID.
	ProgressReports []ProgressReport `json:"reports,omitempty"`
}

// DriverInfo is the NVIDIA driver of a node.
type DriverInfo struct {
	Version          string   `json:"version,omitempty"` // "550.54.15"
	CUDA             string   `json:"cuda,omitempty"`    // the newest CUDA it serves, "12.4"
	MissingFunctions []string `json:"missing,omitempty"` // NVML functions it lacks, sorted; what they measure is unknown
}

// Process is a process on a GPU.
type Process struct {
	PID       int        `json:"pid"`
	MemMB     int64      `json:"mem_mb,omitempty"` // GPU memory it holds, MiB; 0 when the driver does not say
	SliceUUID string     `json:"slice,omitempty"`  // UUID of its MIG device
	Job       ProcessJob `json:"owner,omitzero"`   // zero: not a Slurm job as far as can be seen
	// Busy and MemBusy are the shares of the time since the last look in which the process computed and
	// used the memory, 0..1, as the driver tells them apart on a GPU that several share. Unknown on a
	// divided GPU, and where the driver counts others' work under one process, as with MPS before Volta.
	Busy    OptionalValue `json:"busy,omitzero"`
	MemBusy OptionalValue `json:"mem_busy,omitzero"`
}

// ProcessJob is the Slurm job of a process.
type ProcessJob struct {
	Job     int64  `json:"job,omitempty"`   // 0 when only the SLUID is known
	SLUID   string `json:"sluid,omitempty"` // the run's identity, Slurm 26.05 and later
	Step    string `json:"step,omitempty"`  // batch, extern, interactive or a number
	KnownBy string `json:"by,omitempty"`    // how it is known: cgroup, title, environ (which the user can change)
}

// IsKnown reports whether the owner is known at all.
func (o ProcessJob) IsKnown() bool { return o.Job != 0 || o.SLUID != "" }
