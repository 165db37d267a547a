package sim

import (
	"cmp"
	"fairbridge/replica/sim/users"
	"fmt"
	"slices"
	"strings"
	"time"

	"fairbridge/replica/sim/dependency"
	"fairbridge/replica/sim/inventory"
	"fairbridge/replica/sim/program"
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
