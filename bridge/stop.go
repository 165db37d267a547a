package bridge

import (
	"time"

	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// Stop is one stop of a job. It is worth recording: budgets are counted on it.
type Stop struct {
	Job int64
	StopCost
	DecidedAt time.Time // Slurm's clock: Snapshot.Now of the cycle
	// ResumeGPUs is how many GPUs it is to resume on when it is stopped for another size; 0: as it was.
	ResumeGPUs int
	ResumeType string    // of which type they are where that is not the one its owner asked for; "": that one
	SentAt     time.Time // when Slurm was told and said yes; zero: not, as far as known
}

// StopCost is what a requeue costs, or would after a warning. Budgets are counted on it, so it is kept with
// the intent: the job may be forgotten by then.
type StopCost struct {
	User        string            `json:"user"`
	Account     string            `json:"account"`
	GPUs        float64           `json:"gpus"`             // whole GPUs it lost
	Lost        policy.GPUSeconds `json:"lost"`             // work expected to be lost
	Beneficiary int64             `json:"for"`              // the job that gets the room; itself when moved
	Signal      slurm.Signal      `json:"signal,omitempty"` // of a warning
	// Apart says that the job shared a GPU with the one it was stopped for, and hurt it: for some time they are
	// not put together again.
	Apart bool `json:"apart,omitempty"`
	// Recall is within which time its GPUs were to be back, of a job that ran on what others left and was stopped for one
	// that does not; 0: it is no such stop. It counts to no budget.
	Recall time.Duration `json:"recall,omitempty"`
	// Idle is how long all its GPUs had done no work, of a job that was stopped for that; 0: it is no such stop.
	Idle time.Duration `json:"idle,omitempty"`
}

// IdleStop is a job that is to be stopped because its GPUs do no work, for one that waits for GPUs.
type IdleStop struct {
	Job, For int64
	Idle     time.Duration // how long all its GPUs were measured to do no work
	On       policy.Alloc  // where the other is to run
}

// Notice is the warning that the script of a running job gets before the job is
// stopped.
type Notice struct {
	Signal slurm.Signal
	Grace  time.Duration // between the warning and the earliest requeue
}

// PlannedWarning is a warning to be sent.
type PlannedWarning struct {
	Stop
	Notice
	Why string
}
