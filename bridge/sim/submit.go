package sim

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"fairbridge/bridge/sim/inventory"
	"fairbridge/bridge/sim/program"
)

// submissions is sbatch: what it adds to a Spec, what it refuses, and the jobs
// that are to be submitted later.
type submissions struct {
	*daemon
	users      users
	nodes      *inventory.Inventory
	jobs       *jobTable
	prio       *priorities
	runs       *lifecycle
	accounting *accounting
	scheduled  int // submissions still to come
}

// Arrive submits a job at a later moment.
func (s *submissions) Arrive(at time.Time, spec Spec) error {
	if err := s.check(s.withDefaults(spec)); err != nil {
		return err
	}
	s.scheduled++
	s.At(at, func() {
		s.scheduled--
		if _, err := s.Submit(spec); err != nil { // checked above; nothing but a node list can have changed
			s.logf("submit refused: %v", err)
		}
	})
	return nil
}

// Submit queues a job and returns its id, that of the array for an array. An
// error says which part of the Spec cannot be.
func (s *submissions) Submit(spec Spec) (int64, error) {
	spec = s.withDefaults(spec)
	if err := s.check(spec); err != nil {
		return 0, err
	}
	j := s.newRecord(spec)
	s.jobs.add(j)
	s.prio.startAge(j)
	s.prio.setPriority(j)
	s.accounting.submitted++
	s.logf("submit %d user=%s account=%s gpus=%d nodes=%d", j.id, spec.User, spec.Account, j.gpuCount(), spec.Nodes)
	s.runs.endAtDeadline(j)
	s.noteChange()
	s.wake()
	return j.id, nil
}

// newRecord makes the record of a new job.
func (s *submissions) newRecord(spec Spec) *job {
	j := &job{
		id: s.jobs.newID(), sluid: s.jobs.newRun(), spec: spec, state: pending, reason: "None",
		submit: s.nowSeconds(), begin: spec.Begin.Truncate(time.Second), task: -1,
		directPriority: spec.Priority != 0, priority: spec.Priority,
	}
	j.program = program.Program{
		Work: spec.Work, GPUs: j.gpuCount(), Fails: spec.Fails, Checkpoint: spec.Checkpoint,
		CheckpointEvery: spec.CheckpointEvery, Overhead: spec.Overhead, Speed: spec.Speed,
	}
	if spec.MemMB == 0 {
		j.memMBPerCPU = s.cfg.DefMemPerCPU
	}
	if spec.Array > 0 {
		j.array = j.id
		for t := range spec.Array {
			j.tasks = append(j.tasks, int64(t))
		}
	}
	if spec.Hold {
		j.hold, j.reason = heldByUser, heldByUser
	}
	return j
}

// withDefaults adds what sbatch adds.
func (s *submissions) withDefaults(spec Spec) Spec {
	spec.User = cmp.Or(spec.User, "user")
	if spec.Account == "" {
		spec.Account = s.users.defaultAccount(spec.User)
	}
	spec.QOS = cmp.Or(spec.QOS, "normal")
	spec.Name = cmp.Or(spec.Name, "job")
	spec.Partition = cmp.Or(spec.Partition, s.nodes.Partitions[0].Name)
	spec.Nodes = max(spec.Nodes, 1, len(spec.Required))
	spec.CPUs = max(spec.CPUs, 1)
	if spec.Limit == 0 {
		first, _, _ := strings.Cut(spec.Partition, ",")
		if p := s.nodes.Partition(first); p != nil {
			spec.Limit = p.MaxTime
		}
	}
	return spec
}

// check refuses what sbatch refuses.
func (s *submissions) check(spec Spec) error {
	switch {
	case !s.nodes.HasPartitions(spec.Partition):
		return newError(ErrnoBadPartition, "Invalid partition name specified")
	case !s.nodes.HasNodes(slices.Concat(spec.Required, spec.Excluded)):
		return newError(ErrnoBadNode, "Invalid node name specified")
	case spec.GPUs > 0 && spec.GPUsPerNode > 0:
		return newError(ErrnoBadGres, "GPUs and GPUsPerNode are both given")
	case spec.GPUs < 0 || spec.GPUsPerNode < 0:
		return newError(ErrnoBadGres, "Invalid generic resource (gres) specification")
	case spec.Work <= 0:
		return fmt.Errorf("submitting %q: Work is %v; a simulated job needs some", spec.Name, spec.Work)
	}
	_, err := parseDependency(spec.Dependency)
	return err
}
