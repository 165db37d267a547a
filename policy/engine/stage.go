package engine

import (
	"errors"
	"fmt"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/pool"
)

// ErrPlace is within a judge's error when the job might pass on other nodes.
var ErrPlace = errors.New("these nodes are reserved")

// Round is one Decide under way. Each field has a single writer.
type Round struct {
	*policy.Snapshot
	Free    *pool.Pool // what is free; running jobs hold theirs
	Entries []*Entry   // one per job, in Snapshot order

	holds  map[string]float64 // by account; see Holds
	active []*Entry           // see Active
	empty  *pool.Pool         // see Possible
	before *pool.Pool         // see Shut
	yields *int               // see yielding
	kinds  map[gang]*kind     // see kind
}

// Active returns the entries that held devices when the round began, in
// Entries order. The slice is the Round's own.
func (r *Round) Active() []*Entry {
	if r.active == nil {
		r.active = []*Entry{}
		for _, e := range r.Entries {
			if e.Job.Active() {
				r.active = append(r.active, e)
			}
		}
	}
	return r.active
}

// Holds returns the whole GPUs the account's jobs hold as the plan stands so
// far: those that run on and those the plan has started.
func (r *Round) Holds(account string) float64 {
	if r.holds == nil {
		r.holds = map[string]float64{}
		for _, e := range r.Entries {
			r.count(e, 1)
		}
	}
	return r.holds[account]
}

// count adds what the entry holds to its account's sum, or takes it off.
func (r *Round) count(e *Entry, sign float64) {
	if r.holds != nil {
		r.holds[e.Account] += sign * policy.GPUs{Count: e.Planned.Count(), Part: e.Ask.GPUs.Part}.Whole()
	}
}

// setPlanned notes what the entry holds from now on.
func (r *Round) setPlanned(e *Entry, on policy.Alloc) {
	r.count(e, -1)
	e.Planned = on
	r.count(e, 1)
}

// Entry is one job's line in a round: what the stages found out about it.
type Entry struct {
	*policy.Job
	Estimate Estimate     // by Predict
	Refused  error        // by Admit: why it may not enter; nil: it may
	Due      float64      // by Share: GPUs it is entitled to now
	Want     int          // by Size or Allocate: devices it should run on
	Stays    bool         // before Lease and Allocate: it runs and the Rules do not let it be stopped now
	Grant    Grant        // by Lease or Allocate
	Beside   policy.JobID // by Allocate: the job whose devices it may share; 0: none
	Note     string       // by Order or Allocate: why it stands where it stands, for Decision.Why
	Planned  policy.Alloc // by the walk: what it holds as the plan stands so far; nil: nothing
	Index    int          // its place in Round.Entries

	types   []string // see walk.types
	verdict verdict
	sought  sought // see Round.kind
	inLine  bool   // the Orderer has it
}

// Elastic reports whether the job may run on a number of devices other than
// what it asks.
func (e *Entry) Elastic() bool { return e.MinGPUs > 0 && e.MaxGPUs > e.MinGPUs }

// Size returns the devices the job holds, or asks when it holds none.
func (e *Entry) Size() int {
	if n := e.On.Count(); n > 0 {
		return n
	}
	return e.Ask.GPUs.Count
}

// Gang returns what is to be placed: the ask, at the size Want, on the type it
// has a lease for.
func (e *Entry) Gang() policy.Ask {
	a := e.Job.Gang().Resized(e.Want)
	if a.GPUs.Type == "" && e.Grant.Run {
		a.GPUs.Type = e.Grant.Type
	}
	a.Types = e.types
	return a
}

// accepts says why the job cannot run on the number of devices. 0 means not now
// and suits every job.
func (e *Entry) accepts(devices int) error {
	switch {
	case devices == 0 || devices == e.Size() || devices == e.Ask.GPUs.Count:
		return nil
	case !e.Elastic():
		return fmt.Errorf("job %d asks for %d GPUs and cannot run on %d", e.ID, e.Ask.GPUs.Count, devices)
	case devices < e.MinGPUs || devices > e.MaxGPUs:
		return fmt.Errorf("job %d runs on %d to %d GPUs, not on %d", e.ID, e.MinGPUs, e.MaxGPUs, devices)
	}
	return nil
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
// hold it, for its owner to read. It is asked before the line is made, and
// again when the turn of a job comes, with what was started before it in
// Round.Holds.
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
// means none in this round; a number other than the ask needs an Elastic job.
type Sizer interface {
	Size(r *Round, line []*Entry) ([]int, error)
}

// A Placer finds free devices for the Gang of an entry, or says what is
// missing ("needs 8 a100 on one node, 5 free on …"). It does not take them. It
// is not asked where Fit finds no room.
type Placer interface {
	Place(*Round, *Entry) (policy.Alloc, error)
}

// A Packer finds a place beside running jobs that share, for an entry that no
// free device is left for.
type Packer interface {
	Pack(*Round, *Entry) (policy.Alloc, error)
}

// A Backfiller says who may pass a blocked job. Behind is called for the first
// job of each lane (partition and GPU type) that finds no place; the returned
// function judges every later job of the line with the place found for it. nil
// lets it pass, and it then does start unless another judge objects. An
// objection to the place rather than to the job is an ErrPlace: other nodes
// are then tried.
type Backfiller interface {
	Behind(r *Round, blocked *Entry) func(e *Entry, on policy.Alloc) error
}

// A Reserver is a Backfiller that reserves for some jobs only. Every job passes
// the others when they are blocked, and the next blocked job of the lane may be
// one it reserves for. Such a job keeps its turn in line although it was
// granted no lease. The answer must be the same throughout a round.
type Reserver interface {
	Reserves(*Round, *Entry) bool
}

// A BlockedObserver is a Backfiller that is also told of every blocked job, in line
// order, after Behind where both apply.
type BlockedObserver interface {
	Blocked(*Round, *Entry)
}

// A Preempter says who gives way. A running job may be stopped only for one of
// a strictly smaller tier, wherever they stand in line, and only if MayStop has
// no objection. A tier must not depend on whether the job runs, or stopping
// goes back and forth.
type Preempter interface {
	Tier(*Round, *Entry) int
	MayStop(r *Round, victim *Entry) error
}
