package slurm

import "time"

// Meta is what surrounds every list slurmrestd sends.
type Meta struct {
	Release    string    // "26.05.5"
	Cluster    string    // "" on releases that do not say
	LastUpdate time.Time // of the list; zero when absent or "nothing changed"
	Errors     []Problem // non-empty means failure, whatever the HTTP status
	Warnings   []string
}

// Problem is one entry of errors[] of a reply.
type Problem struct {
	Number int
	Text   string // description and source, cleaned and bounded
}

// TaskState is one line of jobs/state/: a job, or one task of an array, and
// its state words.
type TaskState struct {
	Job   int64
	Task  int64 // valid when Array
	Array bool
	State string   // base state
	Flags []string // sorted
}

// Result is one line of results[] of a write to several tasks of a job.
type Result struct {
	Job    int64
	Step   string // "123_[1]": the task addressed
	Number int    // Slurm's error number; 0: done
	Text   string // error and why, cleaned and bounded
}

// Ping is what slurmrestd heard from one controller.
type Ping struct {
	Host    string
	Up      bool
	Primary bool
}

// Diag is slurmctld's own account of its work.
type Diag struct {
	Now           time.Time     // slurmctld's clock
	Since         time.Time     // when the counters began
	Threads       int           // serving requests
	AgentQueue    int           // messages waiting to be sent again
	DBDQueue      int           // messages waiting for slurmdbd
	Queue         int           // jobs the main scheduler looks at
	Cycle         time.Duration // last main scheduling cycle
	CycleMax      time.Duration
	CycleMean     time.Duration
	PerMinute     int           // main scheduling cycles
	Backfill      time.Duration // last backfill cycle
	BackfillMax   time.Duration
	BackfillMean  time.Duration
	BackfillDepth int  // jobs looked at in the last backfill cycle
	Backfilling   bool // now
	Pending       int
	Running       int
}
