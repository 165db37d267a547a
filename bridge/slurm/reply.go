package slurm

import (
	"time"
)

// ReplyMeta is what surrounds every list slurmrestd sends.
type ReplyMeta struct {
	Release    string    // "26.05.5"
	Cluster    string    // "" on releases that do not say
	LastUpdate time.Time // of the list; zero when absent or "nothing changed"
	Errors     []Problem // non-empty means failure, whatever the HTTP status
	Warnings   []string
}

// Problem is one entry of errors[] of a reply.
type Problem struct {
	ErrorNumber int
	Text        string // description and source, cleaned and bounded
}

// TaskState is one line of jobs/state/: a job, or one task of an array, and
// its state words.
type TaskState struct {
	Job         int64 // of a task that was split off its own id, else the array's
	Task        int64 // valid when IsArrayTask
	IsArrayTask bool
	State       string   // base state
	Flags       []string // sorted
}

// TaskResult is one line of results[] of a write to several tasks of a job.
type TaskResult struct {
	Job         int64
	StepID      string // "123_[1]": the task addressed
	ErrorNumber int    // Slurm's error number; 0: done
	Text        string // error and why, cleaned and bounded
}

// Ping is what slurmrestd heard from one controller.
type Ping struct {
	Host      string
	IsUp      bool
	IsPrimary bool
}

// Diag is slurmctld's own account of its work.
type Diag struct {
	Now                 time.Time     // slurmctld's clock
	CountersStart       time.Time     // when the counters began
	ServerThreads       int           // serving requests
	AgentQueueSize      int           // messages waiting to be sent again
	DBDAgentQueueSize   int           // messages waiting for slurmdbd
	ScheduleQueueLength int           // jobs the main scheduler looks at
	CycleLast           time.Duration // last main scheduling cycle
	CycleMax            time.Duration
	CycleMean           time.Duration
	CyclesPerMinute     int           // main scheduling cycles
	BackfillLast        time.Duration // last backfill cycle
	BackfillMax         time.Duration
	BackfillMean        time.Duration
	BackfillLastDepth   int  // jobs looked at in the last backfill cycle
	IsBackfilling       bool // now
	PendingJobs         int
	RunningJobs         int
}
