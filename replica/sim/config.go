package sim

import (
	"io"
	"time"

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
