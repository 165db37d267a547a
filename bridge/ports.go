package bridge

import (
	"context"
	"time"

	"fairbridge/bridge/gate"
	"fairbridge/bridge/ledger"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// Cluster is Slurm, or a simulation of it.
type Cluster interface {
	// Observe reads jobs, nodes and partitions. It returns an error rather
	// than anything partial.
	Observe(context.Context) (*slurm.View, error)
	// Reread reads one job afresh: just before it is changed, or because a list
	// leaves it out. A *slurm.Error of class Gone is Slurm's word that it does
	// not know the job.
	Reread(ctx context.Context, job int64) (slurm.Job, error)
	// HasNode asks about one node that a list leaves out. False is Slurm's word
	// that it does not know the node.
	HasNode(ctx context.Context, name string) (bool, error)
	// Apply carries out one edit. A nil error means Slurm said yes, not that
	// it happened. Errors are *slurm.Error.
	Apply(context.Context, slurm.Edit) error
}

// Journal is the write-ahead ledger and the record of cycles.
type Journal interface {
	// Intend stores the cycle and its intents as PLANNED in one transaction,
	// provided the epoch is still the leader's, and returns them with their
	// ids. On error nothing is stored and nothing may be pushed. A nil cycle
	// stores the intents alone: a release has no cycle.
	Intend(context.Context, *Cycle, []ledger.Intent) ([]ledger.Intent, error)
	// Mark stores an intent's new State, times, Error and Polls, and with SENT
	// its Before, which was read right before.
	Mark(context.Context, ledger.Intent) error
	// Intents returns every intent of the cluster that is open, or whose
	// effect is live at now, or that was closed after since, by ID.
	Intents(ctx context.Context, cluster string, now, since time.Time) ([]ledger.Intent, error)
}

// Leadership makes sure one daemon at a time writes, by a leased row with an
// epoch.
type Leadership interface {
	// Lead takes or renews the lease; leader is false when another holds it,
	// whose name is in holder.
	Lead(ctx context.Context, cluster, me string, ttl time.Duration) (epoch int64, holder string, leader bool, err error)
	// Resign gives the lease back, if it is ours.
	Resign(ctx context.Context, cluster, me string) error
}

// History is what is known of the past.
type History interface {
	// Clock returns the time by the clock of the store.
	Clock(context.Context) (time.Time, error)
	// Record stores what a view shows of runs, idempotently. The view is one
	// that was judged and believed. One older than the last is an error.
	Record(context.Context, *slurm.View) error
	// Past returns usage and per-job history as of now.
	Past(ctx context.Context, cluster string, now time.Time) (*Past, error)
	// Memo returns what the last stored cycle of the partition left; the zero
	// Memo when there is none.
	Memo(ctx context.Context, cluster, partition string) (Memo, error)
}

// Past is what history adds to a snapshot.
type Past struct {
	Accounts []policy.Account // Used and Recent set; sorted by name
	Users    []policy.User    // sorted by name, then account
	Jobs     map[int64]JobPast
	Samples  []policy.Sample // finished jobs, oldest first, bounded
	// Left predicts from history what remains of a job as it stands in the
	// snapshot, and its standard error, 0 where nothing can be said; nil: nothing
	// was learnt yet.
	Left   func(*policy.Job) (left, sigma time.Duration)
	Speeds []policy.Speed // of GPU types, as far as history tells; see learn.Speeds
}

// JobPast is what earlier runs of a listed job left behind, keyed by job id
// and valid only for the job whose first submission is Arrive.
type JobPast struct {
	Arrive     time.Time
	FirstStart time.Time
	LastStop   time.Time
	Attained   policy.GPUSeconds // of closed runs
	Preempted  []time.Time       // requeues of ours, oldest first
}

// Cycle is the record of one cycle.
type Cycle struct {
	Cluster   string            `json:"cluster"`
	Seq       uint64            `json:"seq"`
	Epoch     int64             `json:"epoch"`
	At        time.Time         `json:"at"`
	Partition string            `json:"partition"`
	Mode      gate.Mode         `json:"mode"`
	Policy    string            `json:"policy"`
	Params    string            `json:"params"` // the policy's parameters, printed
	Snapshot  []byte            `json:"-"`      // canonical JSON of the snapshot
	Digest    string            `json:"digest"` // SHA-256 of Snapshot, hex
	Plan      *policy.Plan      `json:"plan"`
	Own       string            `json:"own,omitempty"` // SHA-256 of the JSON of the plan as the policy made it, before the gate; hex
	Refused   []gate.Refusal    `json:"refused"`       // what the gate turned down
	Pushed    int               `json:"pushed"`        // edits intended
	Took      map[string]string `json:"took"`          // step → duration
}
