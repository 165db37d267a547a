package report

import (
	"encoding/json"
	"time"

	"fairbridge/accounting/estimates"
	"fairbridge/policy"
)

// JobUse is what a job got and how it used it.
type JobUse struct {
	ID      policy.JobID  `json:"job"`
	Address string        `json:"address"` // the job as its owner knows it: 4711, 47_3
	Runs    []RunUse      `json:"runs"`    // oldest first; a requeue ends one and begins another
	GPUs    []GPUUseByRun `json:"gpus"`    // of the last run that started; nil when no readings are kept
	// Estimate is when it is thought to start and end while it waits for its first start; nil: nothing
	// is stored. It is the caller's to set.
	Estimate *estimates.StoredEstimate `json:"estimate,omitempty"`
}

// RunUse is one run of a job, or its wait for it.
type RunUse struct {
	Restarts         int                  `json:"restarts"`
	Submit           time.Time            `json:"submit"`
	Arrive           time.Time            `json:"arrive"` // first submission of the job
	Start            time.Time            `json:"start,omitzero"`
	End              time.Time            `json:"end,omitzero"`
	IsOver           bool                 `json:"over"`
	Name             string               `json:"name"`
	User             string               `json:"user"`
	Account          string               `json:"account"`
	Partition        string               `json:"partition"`
	State            string               `json:"state"`
	GPUCount         int                  `json:"gpus"`            // it held or asks for
	TimeLimit        Seconds              `json:"limit_seconds"`   // 0: none
	Elapsed          Seconds              `json:"elapsed_seconds"` // 0: never started
	GPUTime          Seconds              `json:"gpu_seconds"`     // of whole GPUs
	MeasuredGPUTime  Seconds              `json:"measured_gpu_seconds"`
	BusyGPUTime      Seconds              `json:"busy_gpu_seconds"`                 // measured times utilisation
	IdleGPUTime      Seconds              `json:"idle_gpu_seconds"`                 // a process, less than 1 % busy
	NoProcessGPUTime Seconds              `json:"held_without_process_gpu_seconds"` // no process at all
	MemoryShare      policy.OptionalValue `json:"memory_share"`
	StoppedBy        string               `json:"stopped_by,omitempty"` // who took its GPUs: fairbridge, slurm, node, other
	DemandPerGPU     float64              `json:"contention,omitempty"` // mean demand for GPUs per GPU while it was there; 0: unknown
	Nodes            string               `json:"nodes,omitempty"`
}

// Seconds is a time, or GPU time.
type Seconds float64

// String prints them as people say them.
func (s Seconds) String() string { return formatSeconds(float64(s)) }

// GPUUseByRun is what one GPU showed while the job had it.
type GPUUseByRun struct {
	Node             string               `json:"node"`
	UUID             string               `json:"uuid"`
	Type             string               `json:"type"`
	SampleCount      int                  `json:"samples"`
	Busy             policy.OptionalValue `json:"busy"`
	MaxBusy          policy.OptionalValue `json:"busy_most"`
	MemoryShare      policy.OptionalValue `json:"memory"`
	MaxMemoryShare   policy.OptionalValue `json:"memory_most"`
	FirstBusy        time.Time            `json:"first_busy,omitzero"` // zero: never as much as 1 %
	LastBusy         time.Time            `json:"last_busy,omitzero"`
	FirstReading     time.Time            `json:"first"` // reading
	LastReading      time.Time            `json:"last"`
	NoProcessSamples int                  `json:"samples_without_process"`
	ThrottledSamples int                  `json:"samples_throttled"`
	MaxSharingJobs   int                  `json:"jobs_sharing"` // most at once
}

// isUnused reports whether the GPU was never as much as 1 % busy, as far as a few
// readings can tell. One that other jobs share says nothing of this one.
func (g *GPUUseByRun) isUnused() bool {
	return g.SampleCount >= 3 && g.MaxSharingJobs <= 1 && g.MaxBusy.Known && g.MaxBusy.Value < 0.01
}

// LastStartedRun is the last run that started, nil when none did.
func (j *JobUse) LastStartedRun() *RunUse {
	for i := len(j.Runs) - 1; i >= 0; i-- {
		if !j.Runs[i].Start.IsZero() {
			return &j.Runs[i]
		}
	}
	return nil
}

// WaitTime is the time from the first submission to the first start; ok is false
// when none started.
func (j *JobUse) WaitTime() (wait time.Duration, ok bool) {
	for i := range j.Runs {
		if r := &j.Runs[i]; !r.Start.IsZero() {
			return max(r.Start.Sub(r.Arrive), 0), true
		}
	}
	return 0, false
}

// MarshalJSON adds the notes.
func (j *JobUse) MarshalJSON() ([]byte, error) {
	type plain JobUse
	return json.Marshal(struct {
		*plain
		Notes []string `json:"notes"`
	}{(*plain)(j), j.Notes()})
}
