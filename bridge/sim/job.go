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
	id          int64
	sluid       string
	spec        Spec  // as submitted, with later updates
	memMBPerCPU int64 // megabytes of memory; 0: the job named its memory
	state       string
	completing  bool
	endState    string // what a completing job becomes; "": pending again
	reason      string

	submit, begin, accrue, start, end time.Time
	hold                              string // "", heldByUser or heldByAdmin
	priority                          int64  // valid when not held
	directPriority                    bool
	siteFactor                        int64
	restarts                          int
	hasRun                            bool // at least once
	adminComment                      string

	array int64 // 0: none
	task  int64
	tasks []int64 // pending tasks of an unsplit record

	program       program.Program
	partition     *inventory.Partition // it runs in
	slots         inventory.Slots
	generation    int             // number of starts and stops; stale events differ
	expectedStart time.Time       // backfill's start estimate
	expectedSlots inventory.Slots // and its place
	exactStart    time.Time       // start to the millisecond
}

func (j *job) isHeld() bool { return j.hold != "" }

func (j *job) isUnsplit() bool { return j.array != 0 && len(j.tasks) > 0 }

func (j *job) isDone() bool { return j.state != pending && j.state != running }

// hasTask reports whether the record is the task of its array, or has it among
// those that are not split off.
func (j *job) hasTask(task int64) bool { return j.task == task || slices.Contains(j.tasks, task) }

// gpuCount returns how many GPUs one task asks for in all.
func (j *job) gpuCount() int {
	if j.spec.GPUs > 0 {
		return j.spec.GPUs
	}
	return j.spec.GPUsPerNode * j.spec.Nodes
}

// memoryMB returns what one node gives, in megabytes.
func (j *job) memoryMB() int64 {
	if j.memMBPerCPU > 0 {
		return j.memMBPerCPU * int64(j.spec.CPUs)
	}
	return j.spec.MemMB
}

func (j *job) resources() inventory.Ask {
	s := &j.spec
	return inventory.Ask{
		Nodes: max(s.Nodes, len(s.Required)), PerNode: s.GPUsPerNode, Total: s.GPUs, CPUs: s.CPUs,
		MemMB: j.memoryMB(), Type: s.GPUType, All: s.Exclusive, RequiredNodes: len(s.Required),
	}
}

// nodeChoice says which nodes of a partition it may use.
func (j *job) nodeChoice() inventory.Choice {
	return inventory.Choice{Features: j.spec.Features, Required: j.spec.Required, Excluded: j.spec.Excluded}
}

// reservationJob is what reservations want to know of it.
func (j *job) reservationJob() reservation.Job {
	return reservation.Job{Reservation: j.spec.Reservation, Required: j.spec.Required}
}

func (j *job) association() fairshare.Association {
	return fairshare.Association{Account: j.spec.Account, User: j.spec.User}
}

// noLimit is the length of a job without a limit, as the scheduler sees it.
const noLimit = 365 * 24 * time.Hour

// timeLimit is the job's limit as the scheduler counts it.
func (j *job) timeLimit() time.Duration {
	if j.spec.Limit <= 0 {
		return noLimit
	}
	return j.spec.Limit
}

// latestEnd returns when a running job ends at the latest.
func (j *job) latestEnd(now time.Time) time.Time {
	if end := j.start.Add(j.timeLimit()); end.After(now) && !j.completing {
		return end
	}
	return now.Add(time.Second)
}

// hostNames returns the names of the nodes it has, sorted.
func (j *job) hostNames() []string {
	out := j.slots.Nodes()
	slices.Sort(out)
	return out
}

// noteExpectedStart notes a planned start, for people to see.
func (j *job) noteExpectedStart(at time.Time, slots inventory.Slots) {
	if !j.expectedStart.IsZero() && j.expectedStart.Before(at) {
		return
	}
	j.expectedStart, j.expectedSlots = at, slots
	if j.reason == "None" {
		j.reason = "Resources"
	}
}
