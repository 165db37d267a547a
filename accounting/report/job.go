package report

import (
	"encoding/json"
	"time"

	"fairbridge/policy"
)

// Job is what a job got and how it used it.
type Job struct {
	ID   policy.JobID `json:"job"`
	Runs []JobRun     `json:"runs"` // oldest first; a requeue ends one and begins another
	GPUs []GPU        `json:"gpus"` // of the last run that started; nil when no readings are kept
}

// JobRun is one run of a job, or its wait for it.
type JobRun struct {
	Restarts  int            `json:"restarts"`
	Submit    time.Time      `json:"submit"`
	Arrive    time.Time      `json:"arrive"` // first submission of the job
	Start     time.Time      `json:"start,omitzero"`
	End       time.Time      `json:"end,omitzero"`
	Over      bool           `json:"over"`
	Name      string         `json:"name"`
	User      string         `json:"user"`
	Account   string         `json:"account"`
	Partition string         `json:"partition"`
	State     string         `json:"state"`
	Devices   int            `json:"gpus"`            // it held or asks for
	Limit     Seconds        `json:"limit_seconds"`   // 0: none
	Elapsed   Seconds        `json:"elapsed_seconds"` // 0: never started
	Held      Seconds        `json:"gpu_seconds"`     // of whole GPUs
	Measured  Seconds        `json:"measured_gpu_seconds"`
	Busy      Seconds        `json:"busy_gpu_seconds"`                 // measured times utilisation
	Idle      Seconds        `json:"idle_gpu_seconds"`                 // a process, less than 1 % busy
	Empty     Seconds        `json:"held_without_process_gpu_seconds"` // no process at all
	Memory    policy.Measure `json:"memory_share"`
	StoppedBy string         `json:"stopped_by,omitempty"` // who took its GPUs: fairbridge, slurm, node, other
	Demand    float64        `json:"contention,omitempty"` // mean demand for GPUs per GPU while it was there; 0: unknown
	Nodes     string         `json:"nodes,omitempty"`
}

// Seconds is a time, or GPU time.
type Seconds float64

// String prints them as people say them.
func (s Seconds) String() string { return FormatSeconds(float64(s)) }

// GPU is what one GPU showed while the job had it.
type GPU struct {
	Node      string         `json:"node"`
	UUID      string         `json:"uuid"`
	Type      string         `json:"type"`
	Samples   int            `json:"samples"`
	Busy      policy.Measure `json:"busy"`
	BusyMost  policy.Measure `json:"busy_most"`
	Mem       policy.Measure `json:"memory"`
	MemMost   policy.Measure `json:"memory_most"`
	FirstBusy time.Time      `json:"first_busy,omitzero"` // zero: never as much as 1 %
	LastBusy  time.Time      `json:"last_busy,omitzero"`
	First     time.Time      `json:"first"` // reading
	Last      time.Time      `json:"last"`
	Empty     int            `json:"samples_without_process"`
	Throttled int            `json:"samples_throttled"`
	Sharing   int            `json:"jobs_sharing"` // most at once
}

// isUnused reports whether the GPU was never as much as 1 % busy, as far as a few
// readings can tell. One that other jobs share says nothing of this one.
func (g *GPU) isUnused() bool {
	return g.Samples >= 3 && g.Sharing <= 1 && g.BusyMost.Known && g.BusyMost.Value < 0.01
}

// Last is the last run that started, nil when none did.
func (j *Job) Last() *JobRun {
	for i := len(j.Runs) - 1; i >= 0; i-- {
		if !j.Runs[i].Start.IsZero() {
			return &j.Runs[i]
		}
	}
	return nil
}

// Wait is the time from the first submission to the first start; ok is false
// when none started.
func (j *Job) Wait() (wait time.Duration, ok bool) {
	for i := range j.Runs {
		if r := &j.Runs[i]; !r.Start.IsZero() {
			return max(r.Start.Sub(r.Arrive), 0), true
		}
	}
	return 0, false
}

// MarshalJSON adds the notes.
func (j *Job) MarshalJSON() ([]byte, error) {
	type plain Job
	return json.Marshal(struct {
		*plain
		Notes []string `json:"notes"`
	}{(*plain)(j), j.Notes()})
}
