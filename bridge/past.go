package bridge

import (
	"time"

	"fairbridge/policy"
)

// Past is what history adds to a snapshot.
type Past struct {
	Accounts     []policy.Account // Used and Recent set; sorted by name
	Users        []policy.User    // sorted by name, then account
	PastByJob    map[int64]JobPast
	FinishedJobs []policy.FinishedJob // finished jobs, oldest first, bounded
	// PredictTimeLeft predicts from history what remains of a job as it stands in the
	// snapshot, and its standard error, 0 where nothing can be said; nil: nothing
	// was learnt yet.
	PredictTimeLeft func(*policy.Job) (left, sigma time.Duration)
	PredictionTrust float64 // how far what it predicts proved true, 0 to 1; see policy.Snapshot
	// SpeedsOf returns what the job and those of its class reported of their speed before; nil:
	// nothing is kept.
	SpeedsOf func(*policy.Job) SpeedHistory
	// RestartCostOf returns what restarts of the job, and else of its class or account, were
	// measured to cost; nil: none was measured.
	RestartCostOf func(*policy.Job) RestartCost
	// LossesOf returns what the job reported of its training loss before; nil: nothing is kept.
	LossesOf func(*policy.Job) LossHistory
	// RequestsOf returns what the job reported of requests in the last hour, in all its runs, by time; nil: nothing is kept.
	RequestsOf func(*policy.Job) []RequestCount
	// UsualRequests are the requests a second of services, by ServiceKey, in each hour of the day (UTC) that is known.
	UsualRequests map[string]map[int]float64
	// ProfileOf returns what was measured of the job on its GPUs, and else of its class; nil: nothing is kept.
	ProfileOf func(*policy.Job) Profile
	GPUSpeeds []policy.Speed // of GPU types, as far as history tells; see learn.CompareSpeeds
}

// JobPast is what earlier runs of a listed job left behind, keyed by job id
// and valid only for the job whose first submission is Arrive.
type JobPast struct {
	Arrive       time.Time
	FirstStart   time.Time
	LastStop     time.Time
	Attained     policy.GPUSeconds // of closed runs
	RequeueTimes []time.Time       // requeues of ours, oldest first
}

// Memo is what the policy that decides about a partition remembered in the last stored cycle that
// it decided with the same parameters, and the number of the last cycle, whoever decided that. A
// policy that was changed, or set otherwise, begins without memory, since it cannot read another's.
type Memo struct {
	Bytes    []byte
	CycleSeq uint64
}

// PastRun is one run of a job of the past, as a replay of that past reads it.
type PastRun struct {
	Job          policy.JobID
	Arrive       time.Time // first submission of the job
	Start, End   time.Time // a run under way ends at the last view
	HasEnded     bool      // it is not under way
	Name, User   string
	Account      string
	QOS, State   string
	GPUs         int
	LimitSeconds float64  // seconds; 0: none
	GPUTypes     []string // of the GPUs it held, sorted
	NodeCount    int      // on which it held GPUs
	StoppedByUs  bool     // by a requeue of ours
	AskedGPUs    int      // what its owner asked for, where it ran on a number of ours; 0: GPUs
}

// PolicyCycleCounts is how many cycles of the past a mode and policy decided.
type PolicyCycleCounts struct {
	Mode                  Mode
	Policy, Params        string
	CycleCount, EditCount int64 // cycles, and edits sent in them
}
