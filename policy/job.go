package policy

import (
	"slices"
	"strconv"
	"time"
)

// JobID is Slurm's id of one job record. It is unique within a Snapshot. An
// unsplit pending array is one record and one JobID.
type JobID int64

// JobState is what a policy needs to know of a job's state.
type JobState string

// The states. A Snapshot holds no finished jobs.
const (
	Pending   JobState = "pending"
	Running   JobState = "running"
	Suspended JobState = "suspended" // its GPUs stay allocated
)

// Job is a job as a policy sees it.
type Job struct {
	ID        JobID    `json:"id"`
	SLUID     string   `json:"sluid,omitempty"`   // identity of this run, where the release has one (26.05)
	Address   string   `json:"address,omitempty"` // the job as squeue writes it where that is not its id: 47_4, 47_[0-9], 7+1
	Name      string   `json:"name,omitempty"`
	User      string   `json:"user"`
	Account   string   `json:"account"`
	QOS       string   `json:"qos,omitempty"`
	Nice      int64    `json:"nice,omitempty"` // what its owner takes off its multifactor priority
	Partition string   `json:"partition"`
	State     JobState `json:"state"`

	Submit             time.Time     `json:"submit"`                  // of this run: a requeue moves it in Slurm
	Arrive             time.Time     `json:"arrive"`                  // first submission, before any requeue
	EligibleAt         time.Time     `json:"eligible,omitzero"`       // may not start earlier
	Start              time.Time     `json:"start,omitzero"`          // start of the current run; zero when pending
	FirstStart         time.Time     `json:"first_start,omitzero"`    // start of the first run; zero when never run
	Limit              time.Duration `json:"limit,omitempty"`         // time limit of one run; 0: none known
	Deadline           time.Time     `json:"deadline,omitzero"`       // wanted or enforced end; zero: none
	DeadlineValue      float64       `json:"value,omitempty"`         // what being done by its deadline is worth, beside other jobs of its account; 0: not said, as 1
	SoftDeadline       bool          `json:"soft,omitempty"`          // being done after its deadline is worth something, the less the later
	StopCount          int           `json:"stops,omitempty"`         // how often it was requeued
	LastStop           time.Time     `json:"last_stop,omitzero"`      // when it last lost its GPUs; zero: never
	Attained           GPUSeconds    `json:"attained,omitempty"`      // service received in all runs so far
	CheckpointCost     time.Duration `json:"checkpoint,omitempty"`    // cost of one checkpoint, requeue and restore; 0: unknown
	CheckpointSource   string        `json:"checkpoint_by,omitempty"` // what that rests on, where it is not its owner's word
	Ask                Ask           `json:"ask"`                     // what one task wants
	Tasks              int           `json:"tasks,omitempty"`         // array tasks this pending record stands for; 0 and 1: one
	MinGPUs            int           `json:"min_gpus,omitempty"`      // elastic range; 0: rigid
	MaxGPUs            int           `json:"max_gpus,omitempty"`      // elastic range; 0: rigid
	GPUTypes           []string      `json:"types,omitempty"`         // GPU types its owner accepts besides the one asked for, sorted; nil: only that
	IgnoredReason      string        `json:"ignored,omitempty"`       // what its owner declared and does not count, and why, a line each; "" when all does
	Class              string        `json:"class,omitempty"`         // model family the job declared
	On                 Alloc         `json:"on,omitempty"`            // what it holds; nil when pending
	Given              Amounts       `json:"given,omitzero"`          // cores and memory it runs with, where they are others than it asks
	HeldReason         string        `json:"held,omitempty"`          // why it cannot start whatever we decide (held, dependency, …); "" when it can
	StuckReason        string        `json:"stuck,omitempty"`         // why its start is not to be counted on: it was decided and did not happen; "" when it is
	UnstoppableReason  string        `json:"fixed,omitempty"`         // why it must not be stopped; "" when it may
	UnplaceableReason  string        `json:"unplaced,omitempty"`      // why its nodes cannot be chosen by us (constraint expression, …); "" when they can
	Shareable          bool          `json:"shareable,omitempty"`     // the owner accepts a neighbour on its GPUs
	ServiceSinceLast   OptionalValue `json:"gained,omitzero"`         // GPU-seconds received since the last snapshot; unknown: the difference of Attained
	Training           *Training     `json:"training,omitempty"`      // reported or profiled; nil: unknown
	Scaling            *Scaling      `json:"scaling,omitempty"`       // how fast it goes on other sizes; nil: nothing is known
	Sharing            *Sharing      `json:"sharing,omitempty"`       // how it does beside neighbours; nil: nothing is known
	CPUScaling         *CPUScaling   `json:"cpu_scaling,omitempty"`   // how fast it goes with other cores and memory; nil: nothing is known
	ReplicaOf          string        `json:"replica_of,omitempty"`    // the inference service that it answers requests for; "": none
	EarlyEnd           *EarlyEnd     `json:"early_end,omitempty"`     // what its owner declared as enough while the cluster is overloaded; nil: it ends by itself only
	DependsOn          []JobID       `json:"depends_on,omitempty"`    // jobs it waits for, sorted
	AcceptsMixedTypes  bool          `json:"mixed,omitempty"`         // its GPUs may be of several types, of which each does its share of the batch
	Progress           OptionalValue `json:"progress,omitzero"`       // done share of its work, 0..1, reported by the job
	Utilisation        OptionalValue `json:"busy,omitzero"`           // mean GPU utilisation measured, 0..1
	PredictedLeft      time.Duration `json:"left,omitempty"`          // predicted remaining time; 0: no prediction
	PredictedSigma     time.Duration `json:"left_sigma,omitempty"`    // its standard error
	SlurmStartEstimate time.Time     `json:"slurm_start,omitzero"`    // Slurm's own start estimate for a pending job
}

// AcceptsType reports whether the job may run on whole GPUs of the type: it asks for it, for
// any, or its owner accepts it besides.
func (j *Job) AcceptsType(gpuType string) bool {
	return j.Ask.GPUs.Type == "" || j.Ask.GPUs.Type == gpuType || slices.Contains(j.GPUTypes, gpuType)
}

// Label returns the job as squeue writes it and as its owner knows it: 4711, 47_4, 47_[0-9], 7+1.
func (j *Job) Label() string {
	if j.Address != "" {
		return j.Address
	}
	return strconv.FormatInt(int64(j.ID), 10)
}

// HoldsGPUs reports whether the job holds GPUs.
func (j *Job) HoldsGPUs() bool { return j.State != Pending }

// CanStart reports whether the job could be started at t.
func (j *Job) CanStart(t time.Time) bool {
	return j.State == Pending && j.HeldReason == "" && j.StuckReason == "" && !j.EligibleAt.After(t)
}

// KnowsScaling reports whether something is known of how fast the job goes on other sizes.
func (j *Job) KnowsScaling() bool { return j.Scaling != nil && j.Scaling.Source != ScalingAssumed }

// AskWithLimit returns what is to be placed: the ask, for as long as the limit says.
func (j *Job) AskWithLimit() Ask {
	a := j.Ask
	a.Limit = j.Limit
	return a
}

// TaskCount returns how many tasks the record stands for, at least one.
func (j *Job) TaskCount() int { return max(j.Tasks, 1) }

// ServiceSinceAttained returns the service since it had attained was: what it gained since
// the last snapshot where that is known, else the difference.
func (j *Job) ServiceSinceAttained(was GPUSeconds) GPUSeconds {
	got := j.Attained - was
	if j.ServiceSinceLast.Known {
		got = GPUSeconds(j.ServiceSinceLast.Value)
	}
	return max(got, 0)
}

// Waited returns how long the job has been waiting at now: since its arrival,
// or since it last lost its GPUs. It is zero while the job runs.
func (j *Job) Waited(now time.Time) time.Duration {
	if j.HoldsGPUs() {
		return 0
	}
	since := j.Arrive
	if j.LastStop.After(since) {
		since = j.LastStop
	}
	return max(now.Sub(since), 0)
}

// TotalRunTime returns how long the job has run in all its runs, on what it asks.
func (j *Job) TotalRunTime() time.Duration {
	return DurationFromSeconds(j.Ask.GPUs.SecondsForService(j.Attained))
}

// Ran returns how long the current run has lasted at now.
func (j *Job) Ran(now time.Time) time.Duration {
	if !j.HoldsGPUs() || j.Start.IsZero() {
		return 0
	}
	return max(now.Sub(j.Start), 0)
}

// LatestEnd returns when the current run ends at the latest by its time limit; ok is
// false when the job does not run or has no limit.
func (j *Job) LatestEnd() (end time.Time, ok bool) {
	if !j.HoldsGPUs() || j.Limit <= 0 {
		return time.Time{}, false
	}
	return j.Start.Add(j.Limit), true
}
