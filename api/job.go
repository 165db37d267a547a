package api

import (
	"time"

	"fairbridge/accounting/estimates"
	"fairbridge/accounting/journal"
	"fairbridge/accounting/predictions"
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
