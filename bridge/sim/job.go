package sim

import (
	"slices"
	"time"

	"fairbridge/bridge/sim/fairshare"
	"fairbridge/bridge/sim/inventory"
	"fairbridge/bridge/sim/program"
	"fairbridge/bridge/sim/reservation"
)

// The base states a World gives.
const (
	pending = "PENDING"
	running = "RUNNING"
)

// The two kinds of hold, which are Slurm's reasons for them.
const (
	heldByUser  = "JobHeldUser"
	heldByAdmin = "JobHeldAdmin"
)

// job is one job record.
type job struct {
	id         int64
	sluid      string
	spec       Spec  // as submitted, with later updates
	perCPU     int64 // megabytes of memory; 0: the job named its memory
	state      string
	completing bool
	ended      string // what a completing job becomes; "": pending again
	reason     string

	submit, begin, accrue, start, end time.Time
	hold                              string // "", heldByUser or heldByAdmin
	priority                          int64  // valid when not held
	direct                            bool
	site                              int64
	restarts                          int
	ran                               bool // at least once
	admin                             string

	array int64 // 0: none
	task  int64
	tasks []int64 // pending tasks of an unsplit record

	program program.Program
	part    *inventory.Partition // it runs in
	slots   inventory.Slots
	turn    int             // number of starts and stops; stale events differ
	expect  time.Time       // backfill's start estimate
	planned inventory.Slots // and its place
	began   time.Time       // start to the millisecond
}

func (j *job) held() bool    { return j.hold != "" }
func (j *job) unsplit() bool { return j.array != 0 && len(j.tasks) > 0 }
func (j *job) done() bool    { return j.state != pending && j.state != running }

// hasTask reports whether the record is the task of its array, or has it among
// those that are not split off.
func (j *job) hasTask(task int64) bool { return j.task == task || slices.Contains(j.tasks, task) }

// gpus returns how many GPUs one task asks for in all.
func (j *job) gpus() int {
	if j.spec.GPUs > 0 {
		return j.spec.GPUs
	}
	return j.spec.GPUsPerNode * j.spec.Nodes
}

// memory returns what one node gives, in megabytes.
func (j *job) memory() int64 {
	if j.perCPU > 0 {
		return j.perCPU * int64(j.spec.CPUs)
	}
	return j.spec.MemMB
}

func (j *job) ask() inventory.Ask {
	s := &j.spec
	return inventory.Ask{
		Nodes: max(s.Nodes, len(s.Required)), PerNode: s.GPUsPerNode, Total: s.GPUs, CPUs: s.CPUs,
		MemMB: j.memory(), Type: s.GPUType, All: s.Exclusive, Must: len(s.Required),
	}
}

// choice says which nodes of a partition it may use.
func (j *job) choice() inventory.Choice {
	return inventory.Choice{Features: j.spec.Features, Required: j.spec.Required, Excluded: j.spec.Excluded}
}

// reserves is what reservations want to know of it.
func (j *job) reserves() reservation.Job {
	return reservation.Job{Reservation: j.spec.Reservation, Required: j.spec.Required}
}

func (j *job) association() fairshare.Association {
	return fairshare.Association{Account: j.spec.Account, User: j.spec.User}
}

// forever is the length of a job without a limit, as the scheduler sees it.
const forever = 365 * 24 * time.Hour

// length is the job's limit as the scheduler counts it.
func (j *job) length() time.Duration {
	if j.spec.Limit <= 0 {
		return forever
	}
	return j.spec.Limit
}

// ends returns when a running job ends at the latest.
func (j *job) ends(now time.Time) time.Time {
	if end := j.start.Add(j.length()); end.After(now) && !j.completing {
		return end
	}
	return now.Add(time.Second)
}

// hosts returns the names of the nodes it has, sorted.
func (j *job) hosts() []string {
	out := j.slots.Nodes()
	slices.Sort(out)
	return out
}

// promise notes a planned start, for people to see.
func (j *job) promise(at time.Time, slots inventory.Slots) {
	if !j.expect.IsZero() && j.expect.Before(at) {
		return
	}
	j.expect, j.planned = at, slots
	if j.reason == "None" {
		j.reason = "Resources"
	}
}
