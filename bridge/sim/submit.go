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
	users  users
	nodes  *inventory.Inventory
	jobs   *table
	prio   *priorities
	runs   *runs
	books  *accounting
	coming int // submissions still to come
}

// Arrive submits a job at a later moment.
func (s *submissions) Arrive(at time.Time, spec Spec) error {
	if err := s.check(s.fill(spec)); err != nil {
		return err
	}
	s.coming++
	s.At(at, func() {
		s.coming--
		if _, err := s.Submit(spec); err != nil { // checked above; nothing but a node list can have changed
			s.logf("submit refused: %v", err)
		}
	})
	return nil
}

// Submit queues a job and returns its id, that of the array for an array. An
// error says which part of the Spec cannot be.
func (s *submissions) Submit(spec Spec) (int64, error) {
	spec = s.fill(spec)
	if err := s.check(spec); err != nil {
		return 0, err
	}
	j := s.record(spec)
	s.jobs.add(j)
	s.prio.accrue(j)
	s.prio.weigh(j)
	s.books.submitted++
	s.logf("submit %d user=%s account=%s gpus=%d nodes=%d", j.id, spec.User, spec.Account, j.gpus(), spec.Nodes)
	s.runs.deadline(j)
	s.touch()
	s.wake()
	return j.id, nil
}

// record makes the record of a new job.
func (s *submissions) record(spec Spec) *job {
	j := &job{
		id: s.jobs.newID(), sluid: s.jobs.newRun(), spec: spec, state: pending, reason: "None",
		submit: s.sec(), begin: spec.Begin.Truncate(time.Second), task: -1,
		direct: spec.Priority != 0, priority: spec.Priority,
	}
	j.program = program.Program{
		Work: spec.Work, GPUs: j.gpus(), Fails: spec.Fails, Checkpoint: spec.Checkpoint,
		Every: spec.Every, Overhead: spec.Overhead, Speed: spec.Speed,
	}
	if spec.MemMB == 0 {
		j.perCPU = s.cfg.DefMemPerCPU
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

// fill adds what sbatch adds.
func (s *submissions) fill(spec Spec) Spec {
	spec.User = cmp.Or(spec.User, "user")
	if spec.Account == "" {
		spec.Account = s.users.account(spec.User)
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
		return problem(BadPartition, "Invalid partition name specified")
	case !s.nodes.HasNodes(slices.Concat(spec.Required, spec.Excluded)):
		return problem(BadNode, "Invalid node name specified")
	case spec.GPUs > 0 && spec.GPUsPerNode > 0:
		return problem(BadGres, "GPUs and GPUsPerNode are both given")
	case spec.GPUs < 0 || spec.GPUsPerNode < 0:
		return problem(BadGres, "Invalid generic resource (gres) specification")
	case spec.Work <= 0:
		return fmt.Errorf("submitting %q: Work is %v; a simulated job needs some", spec.Name, spec.Work)
	}
	_, err := parseDependency(spec.Dependency)
	return err
}
