package api

import (
	"time"

	"fairbridge/accounting/estimates"
	"fairbridge/accounting/journal"
	"fairbridge/accounting/predictions"
	"fairbridge/accounting/studies"
	"fairbridge/bridge"
	"fairbridge/bridge/whatif"
	"fairbridge/policy"
)

// Job is a job's story: why it waits, runs or was requeued.
type Job struct {
	*journal.JobHistory
	Address     string      `json:"address"`              // the job as squeue writes it: 4711, 47_3, 47_[0-9]
	GPUs        int         `json:"gpus"`                 // of all its tasks
	Tasks       int         `json:"tasks,omitempty"`      // of an array that waits unsplit
	NotPushed   []string    `json:"not_pushed,omitempty"` // why what was decided in the last cycle was not sent to Slurm
	Daemon      DaemonState `json:"daemon"`               // who leads, and what keeps everything from being sent
	Live        *LiveJob    `json:"live,omitempty"`       // as Slurm shows it now
	LiveError   string      `json:"unread,omitempty"`     // why Slurm could not be asked
	Directive   string      `json:"directive,omitempty"`  // what of the job's comment does not count, and why: it cannot be read, or its partition has no such GPUs
	Size        *JobSize    `json:"size,omitempty"`       // what it runs on or asks; nil: the last cycle does not show it, or it stands for several tasks
	LastCycleAt time.Time   `json:"as_of,omitzero"`       // the last cycle of its partition
	IsStale     bool        `json:"stale,omitempty"`      // that is long ago
	// Ahead are jobs that go before it in line in its partition, the next in line last, as far
	// as they may be seen; at most MaxAhead. Not set of a job that runs.
	Ahead []JobAhead `json:"ahead,omitempty"`
	// AheadCount counts all that go before it and wait too, HiddenAhead those of them that are private.
	AheadCount  int `json:"ahead_count,omitempty"`
	HiddenAhead int `json:"hidden_ahead,omitempty"`
	// Estimate is when it is thought to start and end; nil: it ran already, or nothing is stored.
	Estimate *estimates.StoredEstimate `json:"estimate,omitempty"`
	// EstimateScore is how good such estimates were; nil: none is known.
	EstimateScore *estimates.Score `json:"estimate_score,omitempty"`
	Deadline      *Deadline        `json:"deadline,omitempty"` // nil: it has none, or the last cycle does not show it
	// Earlier is what earlier runs of a job that comes again say of it; nil: none is known, or the viewer may not see them.
	Earlier         *predictions.EarlierRuns `json:"earlier,omitempty"`
	SmallerRequests []string                 `json:"sooner,omitempty"` // smaller requests that would have started in it; none where a deadline has offers
}

// MaxAhead is how many jobs ahead are named.
const MaxAhead = 10

// JobAhead is a job that waits ahead of another.
type JobAhead struct {
	Address string `json:"address"`
	Rank    int    `json:"rank"`
	User    string `json:"user"`
	Account string `json:"account"`
	GPUs    int    `json:"gpus"`
}

// LiveJob is a job as Slurm shows it now.
type LiveJob struct {
	State         string    `json:"state"`
	Reason        string    `json:"reason"`
	Priority      int64     `json:"priority"`
	IsHeld        bool      `json:"held"`
	Eligible      time.Time `json:"eligible,omitzero"`
	Start         time.Time `json:"start,omitzero"` // of a pending job: Slurm's estimate
	Nodes         string    `json:"nodes,omitempty"`
	RequiredNodes string    `json:"required,omitempty"`
	ExcludedNodes string    `json:"excluded,omitempty"`
}

// ActionKind is something that an operator may do.
type ActionKind string

// The kinds.
const (
	ActionStop       ActionKind = "stop"        // nothing is sent to Slurm any more, until resume
	ActionResume     ActionKind = "resume"      // ends all stops, or that a job is left alone
	ActionMode       ActionKind = "mode"        // lowers the mode of a partition below the configured one, or ends that
	ActionReleaseJob ActionKind = "release_job" // everything of ours in a job is given back, and it is left alone
	ActionUndo       ActionKind = "undo"        // one change of ours is given back, and its job is left alone
)

// ActionRequest asks for an action. First without Confirm: the answer says what it would do,
// and has what to send as Confirm to have it done.
type ActionRequest struct {
	Kind      ActionKind  `json:"kind"`
	Partition string      `json:"partition,omitempty"` // of mode
	Mode      bridge.Mode `json:"mode,omitempty"`      // of mode; the configured one ends the lowering
	Job       string      `json:"job,omitempty"`       // of release_job: its address; of resume: that is left alone, "" ends stops
	Change    int64       `json:"change,omitempty"`    // of undo: the id of the change
	Why       string      `json:"why"`                 // for the record; must not be empty
	// Until is when it ends by itself; zero: of mode and stop never, else after the time that a
	// job is left alone which somebody else changed.
	Until   time.Time `json:"until,omitzero"`
	Confirm string    `json:"confirm,omitempty"`
}

// Action is an action as it is recorded, or would be.
type Action struct {
	ID int64 `json:"id,omitempty"` // 0: it was not done yet
	ActionRequest
	Effect string    `json:"effect"`       // what it does, in a sentence
	By     string    `json:"by,omitempty"` // its author
	Origin string    `json:"origin,omitempty"`
	At     time.Time `json:"at,omitzero"`
	Ended  time.Time `json:"ended,omitzero"`
	// EndedBy is who ended it; "": nobody did.
	EndedBy string `json:"ended_by,omitempty"`
	Stands  bool   `json:"stands,omitempty"` // it was done, and neither somebody nor its time ended it
}

// Actions are what operators did, newest first.
type Actions struct {
	Actions []Action `json:"actions"`
	Next    string   `json:"next,omitempty"`
}

// WhenQuery asks when a job would start if it were submitted now.
type WhenQuery struct {
	Partition string // "": the only one
	GPUType   string // "": any
	GPUs      int    // over all nodes
	Nodes     int    // so many, as many GPUs on each; 0: any
	Limit     time.Duration
	User      string    // "": who asks
	Account   string    // "": that of the user's last job, or where the user got most
	Deadline  time.Time // by when it is to be done; zero: nothing is asked of that
}

// When is when a job would start and end, and what would start sooner.
type When struct {
	Partition string      `json:"partition"`
	Mode      bridge.Mode `json:"mode"`
	Policy    string      `json:"policy"`
	AsOf      time.Time   `json:"as_of"` // the last cycle, at which the job counts as submitted
	whatif.JobStart
	Score      *estimates.Score  `json:"score"`                 // how good such estimates were; null: none is known yet
	ScoreError string            `json:"score_error,omitempty"` // why that could not be read
	Sooner     []whatif.JobStart `json:"sooner"`                // smaller and shorter requests that start materially sooner
	Deadline   *Deadline         `json:"deadline,omitempty"`    // how likely it is done by that, and what is likelier; nil: not asked
	LimitError string            `json:"unchecked,omitempty"`   // why the partition's limits could not be read
	// Unknown says that the account that was asked for is not known here, so that it was planned as one that has
	// used nothing; "": it is, or none was asked for.
	Unknown string `json:"unknown,omitempty"`
}

// ChangeQuery says which changes in Slurm are wanted; an empty field matches every change.
type ChangeQuery struct {
	Jobs   []string // addresses
	Users  []string
	Kinds  []string
	States []string
	Since  time.Time // made then or later; zero: the last day
	Limit  int       // as of QueueQuery
	After  string    // as of QueueQuery
}

// Changes is what was changed in Slurm, or was to be, and what came of it, newest first.
type Changes struct {
	Changes []Change `json:"changes"`
	Next    string   `json:"next,omitempty"`
}

// Change is one change with whose job it is about.
type Change struct {
	bridge.Intent
	Address string `json:"address"`
	User    string `json:"user"`
	Account string `json:"account"`
}

// ReportQuery narrows a report.
type ReportQuery struct {
	Since, Until  time.Time
	Account, User string // "": all that may be seen
}

// LikelyChance is from which chance on a job is called likely to be done by a time.
const LikelyChance = .8

// Deadline is how likely a job is done by its deadline, and what would make it likely.
type Deadline struct {
	At     time.Time `json:"at"`
	IsSoft bool      `json:"soft,omitempty"`
	// Chance is that of being done by it, from 0.05 to 0.95: of a job that runs by what is thought to be left of its
	// run, in its time limit; of one that waits for the first time as of the last estimate. 0: there is none.
	Chance   float64            `json:"chance,omitempty"`
	LikelyBy time.Time          `json:"likely_by,omitzero"` // by when it is done with LikelyChance; not set: not known, or its time limit may end it before
	Promise  *estimates.Promise `json:"promise,omitempty"`  // what it was told when it was first seen; nil: nothing is stored
	// Offers are smaller and shorter requests, and other partitions, whose chance is higher, the likeliest first; of a job
	// that waits as if they were submitted in its stead, where its own chance is below LikelyChance.
	Offers []DeadlineOffer `json:"offers,omitempty"`
}

// DeadlineOffer is another request with its chance of being done by the same time.
type DeadlineOffer struct {
	Job      policy.Job `json:"job"`
	Chance   float64    `json:"chance"`
	LikelyBy time.Time  `json:"likely_by"`
}

// JobSize is what a job runs on, or asks while it waits, and what is recommended to it there.
type JobSize struct {
	GPUs     int  `json:"gpus"`
	Nodes    int  `json:"nodes,omitempty"` // 0: it does not run
	Runs     bool `json:"runs"`
	Restarts int  `json:"restarts"`           // how often it was requeued before: which run it is about
	MinGPUs  int  `json:"min_gpus,omitempty"` // fewest it may be given; 0: its size is fixed
	MaxGPUs  int  `json:"max_gpus,omitempty"` // most it may be given; 0: its size is fixed
	// Batch is the batch size recommended there, of the whole job; 0: it reported no batch sizes, or no speeds at them.
	Batch int `json:"batch,omitempty"`
	// GPUBatch is how much of it a GPU takes in one go.
	GPUBatch int `json:"gpu_batch,omitempty"`
	// Accumulation is how often a GPU does so before the pass that ends a step.
	Accumulation int `json:"accumulation,omitempty"`
	// Speed is how fast it is there, relative to what it asks; 0: not known.
	Speed float64 `json:"speed,omitempty"`
	// SpeedSource is where that is known from: table, reports, class, or assumed.
	SpeedSource string `json:"speed_source,omitempty"`
	// SpeedSigma is the relative standard error that is stated of its speed on a size that was not measured.
	SpeedSigma float64 `json:"speed_sigma,omitempty"`
	// RestartSeconds is what a restart costs it, in seconds without progress: its size is changed only after runs of 20 times that; 0: not known.
	RestartSeconds float64 `json:"restart_seconds,omitempty"`
	// RestartSource is what that rests on.
	RestartSource string `json:"restart_source,omitempty"`
}

// Study is what policies would have done with the jobs that a partition ran in a stretch of time.
type Study = studies.Study

// StudyLine is one policy of a study.
type StudyLine = studies.Line

// Studies is what is stored of what policies would have done, by partition as configured.
type Studies struct {
	Partitions []PartitionStudy `json:"partitions"`
}

// PartitionStudy is the newest study of a partition.
type PartitionStudy struct {
	Partition string `json:"partition"`
	Study     *Study `json:"study,omitempty"` // nil: none is stored
	// Age is for how long the study has been stored, in seconds; Stale: the cluster and its jobs may have changed much since.
	Age   float64 `json:"age_s,omitempty"`
	Stale bool    `json:"stale,omitempty"`
	// Command is what an administrator types to have one made, or made anew.
	Command string `json:"command"`
}

// Link is an address that shows a browser's owner to be its viewer, once.
type Link struct {
	URL   string    `json:"url"`
	Until time.Time `json:"until"`
}
