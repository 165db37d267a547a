package policy

// Verb says what should happen to a job.
type Verb string

// The verbs. A pending job is started, waits or is held; a running one is
// kept, stopped, moved or resized.
const (
	Start  Verb = "start"  // now, on Decision.On
	Keep   Verb = "keep"   // run on, where it is
	Wait   Verb = "wait"   // in the queue at Decision.Rank; Slurm may start it if it can
	Hold   Verb = "hold"   // must not start now
	Stop   Verb = "stop"   // checkpoint and requeue
	Move   Verb = "move"   // stop, then start on Decision.On
	Resize Verb = "resize" // stop or change, then run on Decision.GPUs GPUs
)

// Decision is what a plan says of one job.
type Decision struct {
	Job        JobID  `json:"job"`
	Verb       Verb   `json:"verb"`
	Rank       int    `json:"rank"`          // 1 is first; every job has its own
	On         Alloc  `json:"on,omitempty"`  // where, for Start, Keep, Move and Resize
	GPUs       int    `json:"gpus"`          // devices it runs on, or would
	StoppedFor JobID  `json:"for,omitempty"` // the job a stopped one makes room for; 0: none
	Why        string `json:"why"`           // one sentence for the job's owner, with its numbers
}

// Plan is what should happen to every job of a snapshot.
type Plan struct {
	SnapshotSeq uint64     `json:"basis"` // Snapshot.Seq it was made from
	Policy      string     `json:"policy"`
	Decisions   []Decision `json:"decisions"` // exactly one per job, sorted by Job
	Memo        Memo       `json:"memo,omitzero"`
}

// A Policy turns what is known into what should happen. Decide is pure: equal
// snapshots give equal plans, byte for byte, and the snapshot is left as it
// was.
type Policy interface {
	Decide(*Snapshot) (*Plan, error)
}
