package sim

import (
	"cmp"
	"fmt"
	"strings"
	"time"
)

// Arrive submits a job at a later moment.
func (w *World) Arrive(at time.Time, s Spec) error {
	if err := w.check(w.fill(s)); err != nil {
		return err
	}
	w.coming++
	w.At(at, func() {
		w.coming--
		if _, err := w.Submit(s); err != nil { // checked above; nothing but a node list can have changed
			w.logf("submit refused: %v", err)
		}
	})
	return nil
}

// Submit queues a job and returns its id, that of the array for an array. An
// error says which part of the Spec cannot be.
func (w *World) Submit(s Spec) (int64, error) {
	s = w.fill(s)
	if err := w.check(s); err != nil {
		return 0, err
	}
	j := &job{
		id: w.newID(), sluid: w.newRun(), spec: s, state: pending, reason: "None",
		submit: w.sec(), begin: s.Begin.Truncate(time.Second), task: -1,
	}
	j.asked = j.gpus()
	if s.MemMB == 0 {
		j.perCPU = w.cfg.DefMemPerCPU
	}
	if s.Array > 0 {
		j.array = j.id
		for t := range s.Array {
			j.tasks = append(j.tasks, int64(t))
		}
	}
	if s.Hold {
		j.hold = "JobHeldUser"
		j.reason = j.hold
	}
	j.direct, j.priority = s.Priority != 0, s.Priority
	w.add(j)
	w.accrue(j)
	w.weigh(j)
	w.submitted++
	w.logf("submit %d user=%s account=%s gpus=%d nodes=%d", j.id, s.User, s.Account, j.gpus(), s.Nodes)
	w.deadline(j)
	w.touch()
	w.wake()
	return j.id, nil
}

// fill adds what sbatch adds.
func (w *World) fill(s Spec) Spec {
	s.User = cmp.Or(s.User, "user")
	if s.Account == "" {
		s.Account = "default"
		for _, u := range w.cfg.Users {
			if u.Name == s.User && u.Account != "" {
				s.Account = u.Account
			}
		}
	}
	s.QOS = cmp.Or(s.QOS, "normal")
	s.Name = cmp.Or(s.Name, "job")
	s.Partition = cmp.Or(s.Partition, w.parts[0].Name)
	s.Nodes = max(s.Nodes, 1, len(s.Required))
	s.CPUs = max(s.CPUs, 1)
	if s.Limit == 0 {
		if p := w.part(strings.Split(s.Partition, ",")[0]); p != nil {
			s.Limit = p.MaxTime
		}
	}
	return s
}

// check refuses what sbatch refuses.
func (w *World) check(s Spec) error {
	for _, name := range strings.Split(s.Partition, ",") {
		if w.part(name) == nil {
			return problem(BadPartition, "Invalid partition name specified")
		}
	}
	for _, name := range append(append([]string(nil), s.Required...), s.Excluded...) {
		if w.byName[name] == nil {
			return problem(BadNode, "Invalid node name specified")
		}
	}
	switch {
	case s.GPUs > 0 && s.GPUsPerNode > 0:
		return problem(BadGres, "GPUs and GPUsPerNode are both given")
	case s.GPUs < 0 || s.GPUsPerNode < 0:
		return problem(BadGres, "Invalid generic resource (gres) specification")
	case s.Work <= 0:
		return fmt.Errorf("submitting %q: Work is %v; a simulated job needs some", s.Name, s.Work)
	}
	_, err := parseDependency(s.Dependency)
	return err
}

func (w *World) part(name string) *partition {
	for _, p := range w.parts {
		if p.Name == name {
			return p
		}
	}
	return nil
}

// deadline ends a job that is not done by its deadline.
func (w *World) deadline(j *job) {
	if j.spec.Deadline.IsZero() {
		return
	}
	w.At(j.spec.Deadline, func() {
		switch {
		case w.jobs[j.id] != j || j.done() || j.completing:
		case j.state == running:
			w.stop(j, "DEADLINE", false)
		default:
			w.close(j, "DEADLINE")
		}
	})
}
