package policy

import (
	"cmp"
	"slices"
	"sort"
)

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
	Job        JobID   `json:"job"`
	Verb       Verb    `json:"verb"`
	Rank       int     `json:"rank"`             // 1 is first; every job has its own
	On         Alloc   `json:"on,omitempty"`     // where, for Start, Keep, Move and Resize
	GPUs       int     `json:"gpus"`             // devices it runs on, or would
	StoppedFor JobID   `json:"for,omitempty"`    // the job a stopped one makes room for; 0: none
	Beside     JobID   `json:"beside,omitempty"` // a job that starts or moves shares the very devices of this one; 0: of none, or of those that On names
	Given      Amounts `json:"given,omitzero"`   // cores and memory of one that starts, moves or is resized, where they are others than it asks
	Why        string  `json:"why"`              // one sentence for the job's owner, with its numbers
	// BatchSize is the batch size recommended to a job that adapts its own, in samples of all
	// devices together, with so many passes accumulated before the last of a step; 0: none.
	BatchSize         int `json:"batch,omitempty"`
	AccumulationSteps int `json:"accumulation,omitempty"`
	// EndsEarly says that a job which runs on may end, as it has reached what its owner declared as
	// enough (Job.EarlyEnd) and others wait.
	EndsEarly bool `json:"ends_early,omitempty"`
	// BatchShares are, where On has several types, the part of the batch that each GPU of a type
	// should do, sorted by type; nil: equal parts, or none is recommended.
	BatchShares BatchShares `json:"batch_shares,omitempty"`
}

// BatchShare is the part of a job's batch that each of its GPUs of a type does, above 0; those of
// all its GPUs make 1.
type BatchShare struct {
	Type   string  `json:"type"`
	PerGPU float64 `json:"per_gpu"`
}

// BatchShares are those of a job.
type BatchShares []BatchShare

// ShareOf returns the part of the batch that a GPU of the type should do; 0: none is recommended.
func (all BatchShares) ShareOf(gpuType string) float64 {
	for _, s := range all {
		if s.Type == gpuType {
			return s.PerGPU
		}
	}
	return 0
}

// Plan is what should happen to every job of a snapshot.
type Plan struct {
	SnapshotSeq uint64     `json:"basis"` // Snapshot.Seq it was made from
	Policy      string     `json:"policy"`
	Decisions   []Decision `json:"decisions"` // exactly one per job, sorted by Job
	Memo        Memo       `json:"memo,omitzero"`
}

// Decision returns the decision on a job, nil where there is none.
func (p *Plan) Decision(id JobID) *Decision {
	i, ok := sort.Find(len(p.Decisions), func(i int) int { return cmp.Compare(id, p.Decisions[i].Job) })
	if !ok {
		return nil
	}
	return &p.Decisions[i]
}

// Clone returns a copy with decisions of its own; what they point to is the same.
func (p *Plan) Clone() *Plan {
	c := *p
	c.Decisions = slices.Clone(p.Decisions)
	return &c
}

// A Policy turns what is known into what should happen. Decide is pure: equal
// snapshots give equal plans, byte for byte, and the snapshot is left as it
// was.
type Policy interface {
	Decide(*Snapshot) (*Plan, error)
}

// Scratch is what one decision leaves for the next so that no work is done twice. No answer depends on it. Who puts
// the same one into several snapshots promises that Nodes and Speeds are the very slices of the snapshots before, with
// nothing in them changed, that no Alloc was written to, and that one decision at a time is made. The zero Scratch has
// nothing.
type Scratch struct {
	left      any
	decisions []Decision
}

// TakeLeft returns what was left, if it is a T, and leaves nothing: it has one holder at a time. nil: there is none.
func TakeLeft[T any](s *Scratch) *T {
	if s == nil {
		return nil
	}
	left, _ := s.left.(*T)
	s.left = nil
	return left
}

// Leave leaves a *T for TakeLeft.
func (s *Scratch) Leave(left any) {
	if s != nil {
		s.left = left
	}
}

// Recycle takes back the decisions of a plan that was carried out and will not be read again.
func (s *Scratch) Recycle(p *Plan) {
	if s != nil {
		s.decisions = p.Decisions
	}
}

// NewDecisions returns an empty list with room for so many decisions.
func (s *Scratch) NewDecisions(count int) []Decision {
	if s == nil || s.decisions == nil || cap(s.decisions) < count {
		return make([]Decision, 0, count)
	}
	list := s.decisions[:0]
	s.decisions = nil
	return list
}
