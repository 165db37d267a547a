package slurm

import (
	"fmt"
	"strings"
	"time"
)

// Kind is one thing that can be done to a job in Slurm. Each edit does exactly
// one thing, because Slurm applies the fields of an update one after another
// and may stop half-way.
type Kind string

// The kinds of edit.
const (
	SiteFactor Kind = "site_factor" // additive to multifactor; Value is the offset, 0 neutral
	Nice       Kind = "nice"        // Value is the whole nice
	Priority   Kind = "priority"    // direct priority, Value in [MinPriority, MaxPriority]
	Lease      Kind = "lease"       // begin_time = Until: a hold that expires by itself
	Unlease    Kind = "unlease"     // begin_time = Until (now, or the user's own begin)
	Require    Kind = "require"     // required nodes = Nodes; none: clear
	Exclude    Kind = "exclude"     // excluded nodes = Nodes; none: clear
	Requeue    Kind = "requeue"     // always Incomplete, by SLUID where there is one
	Warn       Kind = "warn"        // Signal to the batch script: a requeue may follow, Grace() later; Value is that in seconds
	HardHold   Kind = "hold"        // priority 0; only with explicit configuration
	HandBack   Kind = "hand_back"   // give a direct priority back to multifactor: hold, then release; Value is the nice to restore, which Priority wiped, 0 none
	SetGPUs    Kind = "gpus"        // GPU count of a pending elastic job; Value
)

// MinPriority and MaxPriority bound direct priorities, far from Slurm's
// reserved values (0 hold, 0xfffffffe no change, 0xffffffff release).
const (
	MinPriority int64 = 1_000
	MaxPriority int64 = 4_000_000_000
)

// Edit is one wanted change of one run.
type Edit struct {
	Run   Run       `json:"run"`
	Kind  Kind      `json:"kind"`
	Value int64     `json:"value,omitempty"`
	Until time.Time `json:"until,omitzero"`
	Nodes []string  `json:"nodes,omitempty"` // sorted
	Array string    `json:"array,omitempty"` // address "47_4" of an array task, for requeues and warnings
	Tasks int       `json:"tasks"`           // tasks affected, for budgets; at least 1
	Why   string    `json:"why"`

	Signal Signal `json:"signal,omitempty"` // of a warning
}

// Grace is the time between a warning and the earliest requeue.
func (e Edit) Grace() time.Duration { return time.Duration(e.Value) * time.Second }

// String prints the edit for logs and tables, without its reason.
func (e Edit) String() string {
	switch e.Kind {
	case Lease, Unlease:
		return fmt.Sprintf("%s job %v until %s", e.Kind, e.Run, e.Until.UTC().Format(time.RFC3339))
	case Require, Exclude:
		return fmt.Sprintf("%s job %v nodes [%s]", e.Kind, e.Run, strings.Join(e.Nodes, ","))
	case Warn:
		return fmt.Sprintf("warn job %v by %s, %v ahead of a requeue", e.Run, e.Signal, e.Grace())
	case Requeue, HardHold, HandBack:
		return fmt.Sprintf("%s job %v", e.Kind, e.Run)
	}
	return fmt.Sprintf("%s job %v to %d", e.Kind, e.Run, e.Value)
}
