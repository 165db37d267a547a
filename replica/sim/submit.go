package sim

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"fairbridge/bridge/slurm"
	"fairbridge/replica/sim/dependency"
	"fairbridge/replica/sim/inventory"
	"fairbridge/replica/sim/program"
	"fairbridge/replica/sim/users"
)

// submitter is sbatch: what it adds to a Spec, what it refuses, and the jobs
// that are to be submitted later.
type submitter struct {
	*daemon
	users          users.List
	inventory      *inventory.Inventory
	jobs           *jobTable
	priorities     *priorities
	lifecycle      *lifecycle
	accounting     *accounting
	scheduledCount int // submissions still to come
}

// SubmitAt submits a job at a later moment.
func (s *submitter) SubmitAt(at time.Time, spec JobSpec) error {
	if err := s.checkSpec(s.withDefaults(spec)); err != nil {
		return err
	}
	s.scheduledCount++
	s.ScheduleAt(at, func() {
		s.scheduledCount--
		if _, err := s.Submit(spec); err != nil { // checked above; nothing but a node list can have changed
			s.logf("submit refused: %v", err)
		}
	})
	return nil
}

// Submit queues a job and returns its id, that of the array for an array. An
// error says which part of the JobSpec cannot be.
func (s *submitter) Submit(spec JobSpec) (int64, error) {
	spec = s.withDefaults(spec)
	if err := s.checkSpec(spec); err != nil {
		return 0, err
	}
	j := s.newJobRecord(spec)
	s.jobs.add(j)
	s.priorities.startAging(j)
	s.priorities.setPriority(j)
	s.accounting.submittedCount++
	s.logf("submit %d user=%s account=%s gpus=%d nodes=%d", j.id, spec.User, spec.Account, j.gpuCount(), spec.MinNodes)
	s.lifecycle.scheduleDeadline(j)
	s.noteChange()
	s.queueMainPass()
	return j.id, nil
}

// newJobRecord makes the record of a new job.
func (s *submitter) newJobRecord(spec JobSpec) *job {
	j := &job{
		id: s.jobs.newJobID(), sluid: s.jobs.newSLUID(), spec: spec, state: statePending, reason: "None",
		submitTime: s.nowTruncated(), beginTime: spec.BeginTime.Truncate(time.Second), taskID: -1,
		hasDirectPriority: spec.Priority != 0, priority: spec.Priority,
	}
	j.program = program.Program{
		WorkTime: spec.taskWorkTime(0), ReferenceGPUs: j.gpuCount() + min(spec.Shards, 1), Fails: spec.Fails, Checkpoints: spec.Checkpoints,
		CheckpointInterval: spec.CheckpointInterval, RestoreOverhead: spec.RestoreTime, Speed: spec.Speed,
	}
	if spec.MemMBPerNode == 0 {
		j.memMBPerCPU = s.config.DefMemPerCPU
	}
	if spec.ArraySize > 0 {
		j.arrayID = j.id
		for t := range spec.ArraySize {
			j.pendingTasks = append(j.pendingTasks, int64(t))
		}
	}
	if spec.Hold {
		j.holdReason, j.reason = heldByUser, heldByUser
	}
	return j
}

// withDefaults adds what sbatch adds.
func (s *submitter) withDefaults(spec JobSpec) JobSpec {
	spec.User = cmp.Or(spec.User, "user")
	if spec.Account == "" {
		spec.Account = s.users.DefaultAccount(spec.User)
	}
	spec.QOS = cmp.Or(spec.QOS, "normal")
	spec.Name = cmp.Or(spec.Name, "job")
	spec.Partition = cmp.Or(spec.Partition, s.inventory.Partitions[0].Name)
	spec.MinNodes = max(spec.MinNodes, 1, len(spec.RequiredNodes))
	spec.CPUsPerNode = max(spec.CPUsPerNode, 1)
	if spec.TimeLimit == 0 {
		first, _, _ := strings.Cut(spec.Partition, ",")
		if p := s.inventory.Partition(first); p != nil {
			spec.TimeLimit = p.MaxTime
		}
	}
	return spec
}

// checkSpec refuses what sbatch refuses.
func (s *submitter) checkSpec(spec JobSpec) error {
	switch {
	case !s.inventory.HasPartitions(spec.Partition):
		return newSlurmError(ErrnoBadPartition, "Invalid partition name specified")
	case !s.inventory.HasNodes(slices.Concat(spec.RequiredNodes, spec.ExcludedNodes)):
		return newSlurmError(ErrnoBadNode, "Invalid node name specified")
	case spec.GPUs > 0 && spec.GPUsPerNode > 0:
		return newSlurmError(ErrnoBadGres, "GPUs and GPUsPerNode are both given")
	case spec.Shards > 0 && spec.GPUs+spec.GPUsPerNode > 0:
		return newSlurmError(ErrnoBadGres, "Invalid generic resource (gres) specification")
	case spec.GPUs < 0 || spec.GPUsPerNode < 0 || spec.Shards < 0:
		return newSlurmError(ErrnoBadGres, "Invalid generic resource (gres) specification")
	case len(spec.TaskWorkTimes) > 0 && len(spec.TaskWorkTimes) != spec.ArraySize:
		return fmt.Errorf("submitting %q: TaskWorkTimes has %d run times for an array of %d tasks", spec.Name, len(spec.TaskWorkTimes), spec.ArraySize)
	case spec.shortestWorkTime() <= 0:
		return fmt.Errorf("submitting %q: Work is %v; a simulated job needs some", spec.Name, spec.shortestWorkTime())
	}
	_, err := dependency.Parse(spec.Dependency)
	return err
}

// JobSpec is a submission: what sbatch is told, and what the job will really do.
type JobSpec struct {
	Name      string
	User      string // "user" when empty
	Account   string // the user's when empty
	QOS       string // "normal" when empty
	Partition string // comma list; the first partition when empty

	MinNodes      int    // at least; 1 when zero
	GPUsPerNode   int    // --gres=gpu:type:n
	Shards        int    // --gres=shard:n, of one GPU of each node; not with GPUs
	GPUs          int    // --gpus=n in all, on as few nodes as possible; not with GPUsPerNode
	GPUType       string // "": any
	CPUsPerNode   int    // per node; 1 when zero
	MemMBPerNode  int64  // per node; Config.DefMemPerCPU for each CPU when zero
	Exclusive     bool
	Features      string   // all of them: "a100&ib"
	RequiredNodes []string // --nodelist
	ExcludedNodes []string // --exclude

	TimeLimit       time.Duration // the partition's when zero
	BeginTime       time.Time     // --begin
	Deadline        time.Time     // shown, and the job is ended there
	Nice            int64
	Priority        int64 // direct priority from the start (Operators); 0: multifactor
	Hold            bool  // --hold, a user's hold
	NoRequeue       bool
	Reservation     string // --reservation
	Dependency      string // afterok:1,afterany:2,after:3,afternotok:4
	ArraySize       int    // tasks 0…Array-1; 0: no array
	ArrayMaxRunning int    // "%n": most tasks at once
	Comment         string
	Extra           string

	WorkTime           time.Duration   // run time on what it asks, without any stop
	TaskWorkTimes      []time.Duration // the same of each task of an array; nil: WorkTime
	Fails              bool            // ends FAILED instead of COMPLETED
	Checkpoints        bool            // a stopped run keeps its work, else the next starts from zero
	CheckpointInterval time.Duration   // saved work is a multiple of it; 0: saved to the moment of the stop
	RestoreTime        time.Duration   // restore time at each restart of a checkpointing job

	// Speed says how fast the work goes on n GPUs of a type over nodes, 1 being the speed
	// that WorkTime is measured at. Nil: in proportion to the GPUs first asked for.
	Speed func(gpuType string, n, nodes int) float64
}

// taskWorkTime returns the run time of a task of an array, or of a job that is none.
func (s *JobSpec) taskWorkTime(task int64) time.Duration {
	if task < 0 || int(task) >= len(s.TaskWorkTimes) {
		return s.WorkTime
	}
	return s.TaskWorkTimes[task]
}

// shortestWorkTime returns the shortest run time of its tasks.
func (s *JobSpec) shortestWorkTime() time.Duration {
	if len(s.TaskWorkTimes) > 0 {
		return slices.Min(s.TaskWorkTimes)
	}
	return s.WorkTime
}

// Slurm's error numbers, as far as a World gives them.
const (
	ErrnoBadPartition  = 2000
	ErrnoAccessDenied  = 2002
	ErrnoInvalidUser   = 2010
	ErrnoNoSuchJob     = 2017
	ErrnoBadNode       = 2018
	ErrnoJobPending    = 2024
	ErrnoDisabled      = 2037
	ErrnoJobHeld       = 2042
	ErrnoBadAccount    = 2045
	ErrnoBadGres       = 2072
	ErrnoNotPending    = 2073
	ErrnoFinished      = 2084
	ErrnoPriorityFixed = 2095

	ErrnoMixedGresTypes = 2119
)

// newSlurmError is a refusal in Slurm's words.
func newSlurmError(number int, text string) error {
	return &slurm.Error{Class: errorClassByNumber[number], Number: number, Text: text}
}

// errorClassByNumber sorts Slurm's refusals for callers in process.
var errorClassByNumber = map[int]slurm.ErrorClass{
	ErrnoNoSuchJob: slurm.ErrorJobGone, ErrnoJobPending: slurm.ErrorJobChanged, ErrnoJobHeld: slurm.ErrorJobChanged,
	ErrnoNotPending: slurm.ErrorJobChanged, ErrnoFinished: slurm.ErrorJobChanged, ErrnoAccessDenied: slurm.ErrorForbidden,
	ErrnoInvalidUser: slurm.ErrorForbidden, ErrnoDisabled: slurm.ErrorForbidden, ErrnoPriorityFixed: slurm.ErrorForbidden,
	ErrnoBadNode: slurm.ErrorBadRequest, ErrnoBadPartition: slurm.ErrorBadRequest, ErrnoBadAccount: slurm.ErrorBadRequest,
	ErrnoBadGres: slurm.ErrorBadRequest, ErrnoMixedGresTypes: slurm.ErrorBadRequest,
}
