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
	CycleCount          int           // main scheduling cycles since CountersStart
	CyclesPerMinute     int           // main scheduling cycles
	BackfillLast        time.Duration // last backfill cycle
	BackfillMax         time.Duration
	BackfillMean        time.Duration
	BackfillCount       int  // backfill cycles since CountersStart
	BackfillLastDepth   int  // jobs looked at in the last backfill cycle
	IsBackfilling       bool // now
	PendingJobs         int
	RunningJobs         int
	RPCsByType          []RPCCount // requests by what they ask; not cleared when CountersStart moves to midnight
	RPCsByUser          []RPCCount // requests by who sent them, likewise
}

// RPCCount is what requests to slurmctld of one kind cost it, or those of one user.
type RPCCount struct {
	Name      string        // of the kind (REQUEST_JOB_INFO) or the user
	Count     int64         // requests
	TotalTime time.Duration // in which slurmctld served them, the waiting for its locks included
}

// ControllerLoad is what slurmctld has had to do, for us and for all.
type ControllerLoad struct {
	At            time.Time     // of reading, by slurmctld's clock
	CountersStart time.Time     // when the requests began to be counted; zero: not known, see LoadBy
	Own           RPCCount      // requests in the name of our user; no name: it is not known
	All           RPCCount      // requests of all, ours included
	BackfillLast  time.Duration // last backfill cycle
	BackfillMean  time.Duration // all of them
	IsBackfilling bool          // a pass of backfill was under way
}

// Span returns how long requests have been counted; 0 when that is not known.
func (l *ControllerLoad) Span() time.Duration {
	if l.CountersStart.IsZero() {
		return 0
	}
	return l.At.Sub(l.CountersStart)
}

// OwnShare returns which part of the time slurmctld served our requests, in some thread; 0 where
// no time has passed or it is not known how much.
func (l *ControllerLoad) OwnShare() float64 {
	if l.Span() <= 0 {
		return 0
	}
	return l.Own.TotalTime.Seconds() / l.Span().Seconds()
}

// midnightSpan is how long after midnight UTC slurmctld may clear its counters.
const midnightSpan = 2 * time.Minute

// LoadBy sums up the counters, user being the one in whose name we ask; "" when not known. At
// midnight UTC slurmctld clears all counters but those of requests, and says of all that they began
// then: since when requests are counted is not known from then on.
func (d *Diag) LoadBy(user string) ControllerLoad {
	l := ControllerLoad{At: d.Now, CountersStart: d.CountersStart, BackfillLast: d.BackfillLast, BackfillMean: d.BackfillMean, IsBackfilling: d.IsBackfilling, Own: RPCCount{Name: user}}
	if d.CountersStart.Sub(d.CountersStart.Truncate(24*time.Hour)) < midnightSpan {
		l.CountersStart = time.Time{}
	}
	for _, c := range d.RPCsByUser {
		if c.Name == user {
			l.Own = c
		}
		l.All.Count += c.Count
		l.All.TotalTime += c.TotalTime
	}
	return l
}
