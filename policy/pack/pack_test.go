package pack_test

import (
	"slices"
	"testing"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/pack"
)

var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// full is a node of 4 a100 with two running jobs of 2, and job 3 that wants 2.
func full() *policy.Snapshot {
	job := func(id policy.JobID) policy.Job {
		return policy.Job{ID: id, Partition: "p", State: policy.Running, Start: now.Add(-time.Hour), Arrive: now, Shareable: true,
			Ask: policy.Ask{GPUs: policy.GPUs{Type: "a100", Count: 2}, CPUs: 2}, On: policy.Alloc{{Node: "n1", Type: "a100", Count: 2}}}
	}
	s := &policy.Snapshot{Now: now, Nodes: []policy.Node{{Name: "n1", Partitions: []string{"p"}, CPUs: 8, MemMB: 8, GPUs: []policy.NodeDevices{{Type: "a100", Count: 4}}}}}
	s.Jobs = []policy.Job{job(1), job(2), job(3)}
	s.Jobs[2].State, s.Jobs[2].On = policy.Pending, nil
	return s
}

// besideFirst is an Allocator that wants those that wait beside job 1.
type besideFirst struct{}

func (besideFirst) Allocate(r *engine.Round) ([]engine.Assignment, error) {
	var all []engine.Assignment
	for _, e := range slices.SortedFunc(slices.Values(r.Entries), engine.CompareArrival) {
		a := e.AssignmentWithoutLease()
		if a.Grant.HasLease = e.HoldsGPUs(); !e.HoldsGPUs() {
			a.BesideJob, a.Grant.MayRunWithoutLease = 1, true
		}
		all = append(all, a)
	}
	return all, nil
}

func TestBeside(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*policy.Snapshot)
		starts bool
	}{
		{"beside its partner", func(*policy.Snapshot) {}, true},
		{"of any type", func(s *policy.Snapshot) { s.Jobs[2].Ask.GPUs.Type = "" }, true},
		{"the other is suspended", func(s *policy.Snapshot) { s.Jobs[0].State = policy.Suspended }, false},
		{"its owner did not agree", func(s *policy.Snapshot) { s.Jobs[2].Shareable = false }, false},
		{"the other did not agree", func(s *policy.Snapshot) { s.Jobs[0].Shareable = false }, false},
		{"another shape", func(s *policy.Snapshot) { s.Jobs[2].Ask.GPUs.Count = 1 }, false},
		{"another type", func(s *policy.Snapshot) { s.Jobs[2].Ask.GPUs.Type = "h100" }, false},
		{"excluded", func(s *policy.Snapshot) { s.Jobs[2].Ask.ExcludedNodes = []string{"n1"} }, false},
		{"down", func(s *policy.Snapshot) { s.Nodes[0].DownReason = "drained" }, false},
		{"cores are short", func(s *policy.Snapshot) { s.Jobs[2].Ask.CPUs = 5 }, false},
		{"has a neighbour already", func(s *policy.Snapshot) {
			s.Jobs = append(s.Jobs, s.Jobs[0])
			s.Jobs[3].ID = 4
		}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := full()
			c.change(s)
			plan, err := engine.Pipeline{Allocate: besideFirst{}, Pack: pack.BesideAssignedPartner{}}.Decide(s)
			if err != nil {
				t.Fatal(err)
			}
			if err := plan.Check(s); err != nil {
				t.Fatal(err)
			}
			if d := plan.Decisions[2]; (d.Verb == policy.Start) != c.starts || c.starts && !d.On.Equal(s.Jobs[0].On) {
				t.Errorf("job 3: %s %v (%s), want started beside job 1: %v", d.Verb, d.On, d.Why, c.starts)
			}
		})
	}
}

// TestOneNeighbour wants the second of two to find none left.
func TestOneNeighbour(t *testing.T) {
	s := full()
	s.Jobs = append(s.Jobs, s.Jobs[2])
	s.Jobs[3].ID = 4
	plan, err := engine.Pipeline{Allocate: besideFirst{}, Pack: pack.BesideAssignedPartner{}}.Decide(s)
	if err != nil {
		t.Fatal(err)
	}
	if err := plan.Check(s); err != nil || plan.Decisions[3].Verb != policy.Wait {
		t.Errorf("job 4: %+v, %v; want it to wait", plan.Decisions[3], err)
	}
}
