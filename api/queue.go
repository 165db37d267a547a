package api

import (
	"time"

	"fairbridge/accounting/estimates"
	"fairbridge/accounting/journal"
	"fairbridge/bridge"
)

// QueueQuery says which jobs of the queue are wanted. Within a field any value matches, all
// fields must; an empty field matches every job.
type QueueQuery struct {
	Partitions []string
	Users      []string
	Accounts   []string
	States     []string // PENDING, RUNNING, in any case
	Jobs       []string // addresses: 4711, 47_3, 47 for all of the array
	Nodes      []string // jobs that hold GPUs there
	Limit      int      // most rows; 0: DefaultLimit
	After      string   // Queue.Next of the page before; "": from the first
	Estimates  bool     // with when jobs are thought to start, and how those that did relate to plans
}

// DefaultLimit is how many rows a page has where the query does not say, MaxLimit the most
// that may be asked for.
const (
	DefaultLimit = 1000
	MaxLimit     = 100_000
)

// Queue is the jobs of the last cycle of each partition by partition and rank.
type Queue struct {
	Partitions []PartitionState `json:"partitions"` // of which the jobs are
	Jobs       []QueueJob       `json:"jobs"`
	Total      int              `json:"total"`          // jobs that match, of all pages
	Hidden     int              `json:"hidden"`         // jobs that would match, and are private
	Next       string           `json:"next,omitempty"` // where the next page begins; "": this is the last
	Daemon     DaemonState      `json:"daemon"`
}

// QueueJob is one job in the queue, with what its partition's last cycle shows of it.
type QueueJob struct {
	journal.QueueRow
	Address   string   `json:"address"`              // the job as squeue writes it: 4711, 47_3, 47_[0-9]
	Tasks     int      `json:"tasks,omitempty"`      // of an array that waits unsplit
	NotPushed []string `json:"not_pushed,omitempty"` // why what was decided about it was not sent to Slurm
	// Estimate is when it is thought to start and end; nil: not asked for, it ran already, or
	// nothing is stored.
	Estimate *estimates.StoredEstimate `json:"estimate,omitempty"`
}

// PartitionState is the last cycle of a partition.
type PartitionState struct {
	Name   string      `json:"name"`
	Mode   bridge.Mode `json:"mode"`
	Policy string      `json:"policy"`
	Params string      `json:"params,omitempty"`
	AsOf   time.Time   `json:"as_of,omitzero"` // zero: none is stored
	Stale  bool        `json:"stale"`          // that is long ago: the daemon may not run
	// NotPushed says why nothing at all was sent to Slurm in it.
	NotPushed []string `json:"not_pushed,omitempty"`
	// Starts are those of the last seven days; nil: not asked for, or none is known.
	Starts *journal.StartCounts `json:"starts,omitempty"`
}

// DaemonState is who leads and what keeps everything from being sent.
type DaemonState struct {
	Leader *journal.Leader         `json:"leader"` // null: none ever led
	Doubts []journal.RecordedDoubt `json:"in_doubt,omitempty"`
	// MaxAge is beyond which age of a cycle the daemon may not run.
	MaxAge time.Duration `json:"max_age_ns,omitempty"`
	// RecordError says why the database could not be asked; what is answered all the same is
	// from memory, and as old as it says.
	RecordError string `json:"record_error,omitempty"`
}
