// Package workload says what the jobs of a workload really do: who submits them
// when, what they ask, how fast they go on which GPUs and when they are done.
// The simulator runs it; policies see only what a job would show of itself.
package workload

import (
	"fmt"
	"time"

	"fairbridge/policy"
	"fairbridge/replica/goodput"
)

// Job is one job of a workload. Times are seconds since its start.
type Job struct {
	ID        int64
	Line      int // in the file it was read from; 0: made
	Name      string
	User      string
	Account   string
	QOS       string
	Partition string
	Class     string // model family and batch size, as in throughput tables: "LM (batch size 10)"

	ReplicaOf string // the inference service that it answers requests for; "": none
	Arrive    float64
	GPUs      int    // as a gang
	GPUType   string // "": any
	NodeCount int    // servers over which its GPUs are spread evenly; 0: as few as can be. Only Slurm sees to it
	MinGPUs   int    // elastic range; 0: rigid
	MaxGPUs   int
	CPUs      int // over all nodes
	MemMB     int64
	TimeLimit time.Duration // 0: none
	Deadline  float64       // 0: none
	// DeadlineValue is what being done by the deadline is worth; 0: as 1.
	DeadlineValue float64
	Weight        float64 // 0: 1

	// Duration is the run time in seconds on what it asks, if never stopped and
	// alone. With Training it is the nominal one and Training decides.
	Duration float64
	// Speeds are its speeds by GPU type relative to the one Duration was measured
	// on; nil: 1 everywhere; a type that is not named cannot run it.
	Speeds   map[string]float64
	Training *Training
	// Scaling is how fast it truly goes on other sizes than it asks, by package policy/scaling;
	// policies see it where the job is not silent. nil: as the tables have it, else in proportion.
	Scaling *policy.Scaling
	// Loss is how its training loss falls, which it reports if it is not silent; nil: it
	// reports none.
	Loss *LossCurve

	// Sharing is how it truly does beside neighbours, for jobs that are IsShareable; policies see
	// it where the job is not silent, else its terms. nil: nothing is known.
	Sharing *policy.Sharing
	// CPUScaling is how its speed truly depends on cores and memory; nil: it does not.
	CPUScaling        *policy.CPUScaling
	EarlyEnd          *policy.EarlyEnd // what its owner declares as enough; nil: it ends by itself only
	AcceptsMixedTypes bool             // its GPUs may be of several types

	// Goodput says which profile its speed stands in, and with it how much it has to do, in place
	// of Duration, Speeds, Training and Scaling; nil: those say it. Only lockstep clocks run it.
	Goodput *goodput.Job `json:",omitempty"`

	// ArrayID joins the jobs that are submitted as one job array, whose tasks they are in their
	// order: they come at one time, ask for the same and differ in how long they run; 0: none.
	// Where plans are carried out exactly, a task is a job like any other.
	ArrayID         int64
	ArrayMaxRunning int // most tasks of the array that Slurm lets run at once ("%n"); 0: all

	End                JobEnd
	RestartCostSeconds float64 // seconds each new start costs it; 0: what the simulator's clock says
	IsUnstoppable      bool    // must not be stopped
	IsShareable        bool
	IsSilent           bool // reports nothing: policies see neither Training nor progress
}

// JobEnd is how a job ends by itself.
type JobEnd string

// The ends.
const (
	Completed JobEnd = "" // its work is done
	Failed    JobEnd = "failed"
	Cancelled JobEnd = "cancelled"
)

// Training is a training job whose speed stands in throughput tables and which
// may change its batch size on the way.
type Training struct {
	Model     string    `json:"model"`           // "ResNet-18", as in Job.Class without the batch size
	BatchSize int       `json:"batch,omitempty"` // at first
	Mode      BatchMode `json:"mode"`
	Steps     int64     `json:"steps"` // in all, at the first batch size
}

// BatchMode is how a job adapts its batch size.
type BatchMode string

// The modes of the Shockwave traces. GNS: Pollux's gradient noise scale, as a
// number of doublings; Accordion: the largest batch outside critical regimes.
const (
	StaticMode    BatchMode = "static"
	AccordionMode BatchMode = "accordion"
	GNSMode       BatchMode = "gns"
)

// Location names the job for an error: by its number, and its line where it was read from
// a file.
func (j *Job) Location() string {
	if j.Line > 0 {
		return fmt.Sprintf("job %d (line %d)", j.ID, j.Line)
	}
	return fmt.Sprintf("job %d", j.ID)
}
