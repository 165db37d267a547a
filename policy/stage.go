package policy

import "time"

// Round is one Decide under way. Each field has a single writer.
type Round struct {
	*Snapshot
	Free    *Pool    // what is free; running jobs hold theirs
	Entries []*Entry // one per job, in Snapshot order
}

// Entry is one job's line in a round: what the stages found out about it.
type Entry struct {
	*Job
	Estimate Estimate // by Predict
	Refused  error    // by Admit: why it may not enter; nil: it may
	Due      float64  // by Share: GPUs it is entitled to now
	Want     int      // by Size: devices it should run on
	Note     string   // by Order: why it stands where it stands, for Decision.Why
}

// Estimate is what a job is thought to need.
type Estimate struct {
	Left  time.Duration // remaining run time on what it asks; 0: unknown
	Sigma time.Duration // standard error of Left
	From  string        // rung of the information ladder: progress, history, limit, attained
}

// A Predictor says what a job will need.
type Predictor interface {
	Predict(*Round, *Entry) Estimate
}

// An Admitter says whether a pending job may enter. The error is the reason to
// hold it, for its owner to read.
type Admitter interface {
	Admit(*Round, *Entry) error
}

// A Sharer says how many GPUs each job is due, in Round.Entries order.
type Sharer interface {
	Share(*Round) ([]float64, error)
}

// An Orderer puts all entries in line, first served first. The order must be
// total: the same entries in any arrangement give the same line.
type Orderer interface {
	Order(*Round) ([]*Entry, error)
}

// A Sizer says on how many devices each entry should run, in line order.
type Sizer interface {
	Size(r *Round, line []*Entry) ([]int, error)
}

// A Placer finds free devices for an entry, or says what is missing. It does
// not take them.
type Placer interface {
	Place(*Round, *Entry) (Alloc, error)
}

// A Packer finds a place beside running jobs that share, for an entry that no
// free device is left for.
type Packer interface {
	Pack(*Round, *Entry) (Alloc, error)
}

// A Backfiller says who may pass a blocked job. Behind is called for the first
// job of the line that finds no place; the returned function judges every
// later one with the place found for it: nil lets it pass.
type Backfiller interface {
	Behind(r *Round, blocked *Entry) func(e *Entry, on Alloc) error
}

// A Preempter says who gives way. A running job may be stopped only for one of
// a strictly smaller tier, and only if MayStop has no objection.
type Preempter interface {
	Tier(*Round, *Entry) int
	MayStop(r *Round, victim *Entry) error
}
