package engine

import (
	"errors"
	"time"

	"fairbridge/policy"
)

// ErrReservedNodes is within a check's error when the job might pass on other nodes.
var ErrReservedNodes = errors.New("these nodes are reserved")

// TimeLeftEstimate is what a job is thought to need.
type TimeLeftEstimate struct {
	TimeLeft      time.Duration // remaining run time on what it asks; 0: unknown
	TimeLeftSigma time.Duration // standard error of TimeLeft; 0: not known, or see IsExact
	Source        string        // rung of the information ladder: progress, FromHistory, limit, attained
	// Trust is how far the order of jobs by such estimates has proved true here, from 0, not
	// at all or not known, to 1, always.
	Trust float64
}

// FromHistory is the TimeLeftEstimate.Source of what was predicted from the jobs that ended before.
const FromHistory = "history"

// IsExact reports whether the estimate is an oracle's: a prediction without error that always proves true.
func (t TimeLeftEstimate) IsExact() bool {
	return t.Source == FromHistory && t.TimeLeftSigma == 0 && t.Trust == 1
}

// A Predictor says what a job will need. It is asked once for each job of which a stage wants to know
// (Entry.Estimate), in any order, and its answer must not depend on what stages have decided meanwhile.
type Predictor interface {
	Predict(*Round, *Entry) TimeLeftEstimate
}

// An Admitter says whether a pending job may enter. The error is the reason to
// hold it, for its owner to read. It is asked before the line is made, and
// again when the turn of a job comes, with what was started before it in
// Round.AccountGPUs. HUG answers it; ElasticFlow and Chronus, which refuse what would miss
// its deadline, will.
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

// A Sizer says on how many devices each entry should run, in line order. 0
// means none in this round; a number other than the ask needs a job that IsElastic. REF
// answers it; Optimus and AFS will.
type Sizer interface {
	Size(r *Round, line []*Entry) ([]int, error)
}

// A Placer finds free devices for the GangAsk of an entry, or says what is
// missing ("needs 8 a100 on one node, 5 free on …"). It does not take them. It
// is not asked where Fit finds no room.
type Placer interface {
	Place(*Round, *Entry) (policy.Alloc, error)
}

// A FallbackPlacer is a Placer without memory. Where it takes any room, it finds a place wherever pool.Fit does.
type FallbackPlacer interface {
	TakesAnyRoom() bool
}

// A Packer finds a place beside jobs that share, for an entry that no free device is
// left for.
type Packer interface {
	Pack(*Round, *Entry) (SharedPlace, error)
}

// SharedPlace is a place beside others: the very devices of Beside, which runs or has just
// been started, or those that On names one by one, with Beside 0.
type SharedPlace struct {
	On     policy.Alloc
	Beside policy.JobID
}

// A Backfiller says which jobs may pass a blocked one. NewPassCheck is called for the first
// job of each partition and GPU type that finds no place; the returned
// function checks every later job of the line with the place found for it. nil
// lets it pass, and it then does start unless another check objects. An
// objection to the place rather than to the job is an ErrReservedNodes: other nodes
// are then tried.
type Backfiller interface {
	NewPassCheck(r *Round, blocked *Entry) func(e *Entry, on policy.Alloc) error
}

// A Reserver is a Backfiller that reserves for some jobs only. Every job passes
// the others when they are blocked, and the next blocked job of its partition and type may be
// one it reserves for. Such a job keeps its turn in line although it was
// granted no lease. The answer must be the same throughout a round.
type Reserver interface {
	Reserves(*Round, *Entry) bool
}

// A BlockedObserver is a Backfiller that is also told of every blocked job, in line
// order, after NewPassCheck where both apply.
type BlockedObserver interface {
	ObserveBlocked(*Round, *Entry)
}

// A Preempter says which jobs give way. A running job may be stopped only for one of
// a strictly smaller tier, wherever they stand in line. A tier must not depend on
// whether the job runs, or stopping goes back and forth. Beside an Allocator it
// decides in place of the leases, and the line stays as it was allocated.
type Preempter interface {
	Tier(*Round, *Entry) int
}
