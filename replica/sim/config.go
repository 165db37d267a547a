// Package sim is Slurm as far as a scheduler beside it can see: nodes with
// GPUs, a queue with priorities, holds, begin times and arrays, a main
// scheduler, conservative backfill, requeue with its delay, and accounting of
// every run. It has no clock of its own: virtual time moves only when it is
// told to, every event waits in one heap, and every chance comes from one
// seed, so the same calls give the same log, byte for byte.
//
// A World is reached in three ways: by its methods, as a bridge.Cluster
// (DirectCluster), and over HTTP as slurmrestd (package slurmtest). What it does was
// measured on Slurm 22.05, 24.11 and 26.05; what it leaves out is listed at
// World.
package sim

import (
	"cmp"
	"io"
	"strings"
	"time"

	"fairbridge/bridge/slurm"
	"fairbridge/replica/sim/fairshare"
	"fairbridge/replica/sim/inventory"
	"fairbridge/replica/sim/reservation"
	"fairbridge/replica/sim/users"
)

// Config describes a cluster. The zero value of a time is Slurm's default.
type Config struct {
	Seed            int64
	Release         string    // of Slurm, "26.05.5" when empty; decides the quirks
	ClusterName     string    // "sim" when empty
	Start           time.Time // first moment; 2026-01-05 00:00 UTC when zero
	Nodes           []Node    // in Slurm's order, which is the order of choice
	Partitions      []Partition
	Accounts        []Account // unknown accounts have one share
	Users           []User    // unlisted users are ordinary people
	PriorityWeights PriorityWeights
	IsFairTree      bool // fair share by Fair Tree, Slurm's default, not by the classic formula

	RequeueDelay       time.Duration // between a requeue and the next start; 120 s
	MinJobAge          time.Duration // how long finished jobs stay listed; 300 s
	MinPassInterval    time.Duration // batch_sched_delay: between two main passes for submissions and changes; 3 s
	MinEventInterval   time.Duration // sched_min_interval: between a main pass and one for a job that freed its nodes; 0
	FullPassInterval   time.Duration // of the full main pass; 60 s
	BackfillInterval   time.Duration // 30 s; negative: no backfill
	BackfillPassTime   time.Duration // that a pass of backfill takes, which puts off the next; 0
	BackfillWindow     time.Duration // how far backfill looks ahead; 24 h
	BackfillResolution time.Duration // what backfill keeps for a job begins and ends at full ones; 1 min
	BackfillDepth      int           // jobs a backfill pass tests; 500
	EventPassDepth     int           // jobs an event-driven pass tests; 100
	EpilogTime         time.Duration // epilog and clean-up; 300 ms
	PriorityCalcPeriod time.Duration // between two computations of priorities; 5 min
	UsageHalfLife      time.Duration // of recorded usage; 7 days
	PriorityMaxAge     time.Duration // age at which the age factor is full; 7 days

	DefMemPerCPU  int64 // megabytes a job gets per CPU when it names no memory; 1,000
	EnforceLimits bool  // AccountingStorageEnforce=limits: a lease then resets the age
	FirstJobID    int64 // 1 when zero
	MaxJobID      int64 // ids wrap after it; 67,043,328 when zero

	Log   io.Writer        // one line per event; nil: none
	Audit func(AuditEntry) // told of every call that changes a job, refused ones too; nil: none is told
}

// The parts of a Config that are described where they are used.
type (
	Node        = inventory.NodeConfig      // one machine
	GPUs        = inventory.GPUs            // of one type on a node
	Partition   = inventory.PartitionConfig // a queue over nodes
	Account     = fairshare.Account         // with its shares of the cluster
	Reservation = reservation.Reservation   // of whole nodes; see World.AddReservation
)

// PriorityWeights are those of priority/multifactor. All zero: age 1,000 and fair
// share 10,000.
type PriorityWeights struct {
	Age, FairShare, JobSize, Partition float64
	PointsByQOS                        map[string]float64 // points a QOS adds
}

// UniformNodes returns n nodes n1…nN with the same GPUs.
func UniformNodes(n int, gpuType string, gpus int) []Node {
	return inventory.UniformNodes(n, gpuType, gpus)
}

// OperatorUser is a user who may do everything an Operator of Slurm may.
const OperatorUser = users.Operator

// User is a person.
type User = users.User

// accounting is what slurmdbd would know: every run that ended, and counts. It
// also keeps the signals, which Slurm forgets.
type accounting struct {
	endedRuns        []EndedRun
	deliveredSignals []DeliveredSignal
	submittedCount   int
	startedCount     int
	completedCount   int
}

// EndedRun is one run of one job, as accounting keeps it.
type EndedRun struct {
	JobID        int64
	SLUID        string
	ArrayID      int64 // 0: none
	TaskID       int64
	SubmitTime   time.Time // of this run
	RestartCount int
	Name         string
	User         string
	Account      string
	Start        time.Time
	ByBackfill   bool // backfill started it, not a main pass
	End          time.Time
	Nodes        []string
	GPUType      string
	GPUCount     int
	EndState     string        // COMPLETED, REQUEUED, TIMEOUT, CANCELLED, …
	LostTime     time.Duration // run time without progress: work thrown away, and restoring
}

// DeliveredSignal is a signal that reached the batch script of a job.
type DeliveredSignal struct {
	JobID  int64
	SLUID  string // of the run
	Signal slurm.Signal
	At     time.Time
}

// recordRunEnd writes the segment of a run.
func (a *accounting) recordRunEnd(j *job, state string, at time.Time, lost time.Duration) {
	typ, n := j.slots.GPUTypeAndCount()
	a.endedRuns = append(a.endedRuns, EndedRun{
		JobID: j.id, SLUID: j.sluid, ArrayID: j.arrayID, TaskID: j.taskID, SubmitTime: j.submitTime, RestartCount: j.restartCount,
		Name: j.spec.Name, User: j.spec.User, Account: j.spec.Account, Start: j.exactStart, End: at,
		ByBackfill: j.isBackfilled, Nodes: j.hostNames(), GPUType: typ, GPUCount: n, EndState: state, LostTime: lost,
	})
}

// EndedRuns returns the accounting records of all ended runs, by end.
func (a *accounting) EndedRuns() []EndedRun { return a.endedRuns }

// DeliveredSignals are all that were delivered, in order.
func (a *accounting) DeliveredSignals() []DeliveredSignal { return a.deliveredSignals }

// JobTotals returns how many jobs were submitted, started and completed so far.
func (a *accounting) JobTotals() (submitted, started, completed int) {
	return a.submittedCount, a.startedCount, a.completedCount
}

// withDefaults fills in what the zero value leaves to Slurm.
func (c Config) withDefaults() Config {
	c.Release = cmp.Or(c.Release, "26.05.5")
	c.ClusterName = cmp.Or(c.ClusterName, "sim")
	if c.Start.IsZero() {
		c.Start = time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC)
	}
	c.Start = c.Start.UTC()
	c.RequeueDelay = cmp.Or(c.RequeueDelay, 120*time.Second)
	c.MinJobAge = cmp.Or(c.MinJobAge, 300*time.Second)
	c.MinPassInterval = cmp.Or(c.MinPassInterval, 3*time.Second)
	c.FullPassInterval = cmp.Or(c.FullPassInterval, time.Minute)
	c.BackfillInterval = cmp.Or(c.BackfillInterval, 30*time.Second)
	c.BackfillWindow = cmp.Or(c.BackfillWindow, 24*time.Hour)
	c.BackfillResolution = cmp.Or(c.BackfillResolution, time.Minute)
	c.BackfillDepth = cmp.Or(c.BackfillDepth, 500)
	c.EventPassDepth = cmp.Or(c.EventPassDepth, 100)
	c.EpilogTime = cmp.Or(c.EpilogTime, 300*time.Millisecond)
	c.PriorityCalcPeriod = cmp.Or(c.PriorityCalcPeriod, 5*time.Minute)
	c.UsageHalfLife = cmp.Or(c.UsageHalfLife, 7*24*time.Hour)
	c.PriorityMaxAge = cmp.Or(c.PriorityMaxAge, 7*24*time.Hour)
	c.DefMemPerCPU = cmp.Or(c.DefMemPerCPU, 1_000)
	c.FirstJobID = cmp.Or(c.FirstJobID, 1)
	c.MaxJobID = cmp.Or(c.MaxJobID, 67_043_328)
	if w := c.PriorityWeights; w.Age == 0 && w.FairShare == 0 && w.JobSize == 0 && w.Partition == 0 && w.PointsByQOS == nil {
		c.PriorityWeights = PriorityWeights{Age: 1_000, FairShare: 10_000}
	}
	if len(c.Partitions) == 0 {
		c.Partitions = []Partition{{Name: "gpu", MaxTime: 7 * 24 * time.Hour}}
	}
	return c
}

// is2205 reports whether the release is 22.05, whose update rules differ.
func (c Config) is2205() bool { return strings.HasPrefix(c.Release, "22.05") }
