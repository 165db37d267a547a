package sim

import (
	"slices"
	"time"

	"fairbridge/replica/sim/dependency"
	"fairbridge/replica/sim/fairshare"
	"fairbridge/replica/sim/inventory"
	"fairbridge/replica/sim/program"
	"fairbridge/replica/sim/reservation"
)

// The base states a World gives.
const (
	statePending = "PENDING"
	stateRunning = "RUNNING"
)

// The two kinds of hold, which are Slurm's reasons for them, and another reason to wait.
const (
	heldByUser   = "JobHeldUser"
	heldByAdmin  = "JobHeldAdmin"
	arrayAtLimit = "JobArrayTaskLimit" // as many tasks run as may
)

// expectation is when and where backfill last expected a job to start.
type expectation struct {
	expectedStart time.Time // zero: not within its window
	expectedSlots inventory.Slots
}

// job is one job record.
type job struct {
	id           int64
	sluid        string
	spec         JobSpec // as submitted, with later updates
	memMBPerCPU  int64   // megabytes of memory; 0: the job named its memory
	state        string
	isCompleting bool
	endState     string // what a completing job becomes; "": pending again
	reason       string

	submitTime, beginTime, accrueTime, startTime, endTime time.Time
	holdReason                                            string // "", heldByUser or heldByAdmin
	priority                                              int64  // valid when not held
	hasDirectPriority                                     bool
	siteFactor                                            int64
	restartCount                                          int
	hasRun                                                bool // at least once
	adminComment                                          string

	arrayID      int64 // 0: none
	taskID       int64
	pendingTasks []int64 // pending tasks of an unsplit record

	program    program.Program
	partition  *inventory.Partition // it runs in
	slots      inventory.Slots
	generation int // number of starts and stops; stale events differ
	expectation
	exactStart   time.Time // start to the millisecond
	isBackfilled bool      // backfill started it
}

func (j *job) isHeld() bool { return j.holdReason != "" }

func (j *job) isUnsplit() bool { return j.arrayID != 0 && len(j.pendingTasks) > 0 }

func (j *job) isDone() bool { return j.state != statePending && j.state != stateRunning }

// hasTask reports whether the record is the task of its array, or has it among
// those that are not split off.
func (j *job) hasTask(task int64) bool {
	return j.taskID == task || slices.Contains(j.pendingTasks, task)
}

// gpuCount returns how many GPUs one task asks for in all.
func (j *job) gpuCount() int {
	if j.spec.GPUs > 0 {
		return j.spec.GPUs
	}
	return j.spec.GPUsPerNode * j.spec.MinNodes
}

// memoryMB returns what one node gives, in megabytes.
func (j *job) memoryMB() int64 {
	if j.memMBPerCPU > 0 {
		return j.memMBPerCPU * int64(j.spec.CPUsPerNode)
	}
	return j.spec.MemMBPerNode
}

func (j *job) resourceRequest() inventory.Request {
	s := &j.spec
	return inventory.Request{
		MinNodes: max(s.MinNodes, len(s.RequiredNodes)), GPUsPerNode: s.GPUsPerNode, TotalGPUs: s.GPUs, Shards: s.Shards, CPUsPerNode: s.CPUsPerNode,
		MemMBPerNode: j.memoryMB(), GPUType: s.GPUType, Exclusive: s.Exclusive, NamedNodeCount: len(s.RequiredNodes),
	}
}

// nodeFilter says which nodes of a partition it may use.
func (j *job) nodeFilter() inventory.NodeFilter {
	return inventory.NodeFilter{Features: j.spec.Features, RequiredNodes: j.spec.RequiredNodes, ExcludedNodes: j.spec.ExcludedNodes}
}

// reservationJob is what reservations want to know of it.
func (j *job) reservationJob() reservation.Job {
	return reservation.Job{Reservation: j.spec.Reservation, RequiredNodes: j.spec.RequiredNodes}
}

func (j *job) association() fairshare.Association {
	return fairshare.Association{Account: j.spec.Account, User: j.spec.User}
}

// unlimitedTime is the length of a job without a limit, as the scheduler sees it.
const unlimitedTime = 365 * 24 * time.Hour

// timeLimit is the job's limit as the scheduler counts it.
func (j *job) timeLimit() time.Duration {
	if j.spec.TimeLimit <= 0 {
		return unlimitedTime
	}
	return j.spec.TimeLimit
}

// latestEnd returns when a running job ends at the latest.
func (j *job) latestEnd(now time.Time) time.Time {
	if end := j.startTime.Add(j.timeLimit()); end.After(now) && !j.isCompleting {
		return end
	}
	return now.Add(time.Second)
}

// hostNames returns the names of the nodes it has, sorted.
func (j *job) hostNames() []string {
	out := j.slots.NodeNames()
	slices.Sort(out)
	return out
}

// noteExpectedStart notes a planned start, for people to see.
func (j *job) noteExpectedStart(at time.Time, slots inventory.Slots) {
	if !j.expectedStart.IsZero() && j.expectedStart.Before(at) {
		return
	}
	j.expectedStart, j.expectedSlots = at, slots
}

// unmetReason returns Slurm's reason while the condition is not met; "" when it is.
// jobs are all records that are listed, and ended is how those of the job ended.
func unmetReason(d dependency.Condition, jobs []*job, ended taskOutcomes) string {
	open, begun := false, true
	for _, j := range jobs {
		if (j.id == d.JobID || j.arrayID == d.JobID) && !j.isDone() {
			open = true
			begun = begun && (j.state == stateRunning || j.hasRun)
		}
	}
	switch {
	case d.Kind == "after":
		open = open && !begun
	case d.Kind == "afterok" && ended.failedCount > 0, d.Kind == "afternotok" && !open && ended.failedCount == 0 && ended.succeededCount > 0:
		return "DependencyNeverSatisfied"
	}
	if open {
		return "Dependency"
	}
	return ""
}
