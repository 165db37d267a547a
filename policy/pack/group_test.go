package pack_test

import (
	"testing"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/pack"
	"fairbridge/policy/pool"
)

// trio are three jobs of one user: two share a GPU of n1, the third asks for one.
func trio(change func(jobs []policy.Job, s *policy.Snapshot)) *engine.Round {
	on := policy.Alloc{{Node: "n1", Type: "a100", Count: 1, Devices: 1}}
	s := &policy.Snapshot{Nodes: []policy.Node{{Name: "n1", Partitions: []string{"gpu"}, GPUs: []policy.NodeDevices{{Type: "a100", Count: 2, MemMB: 40_000}}}}}
	for id := policy.JobID(1); id <= 3; id++ {
		j := policy.Job{ID: id, User: "eve", Partition: "gpu", State: policy.Running, On: on, Shareable: true,
			Ask: policy.Ask{GPUs: policy.GPUs{Type: "a100", Count: 1}}, Sharing: &policy.Sharing{JobsPerGPU: 3, MemMB: 12_000}}
		if id == 3 {
			j.State, j.On = policy.Pending, nil
		}
		s.Jobs = append(s.Jobs, j)
	}
	change(s.Jobs, s)
	r := &engine.Round{Snapshot: s, FreePool: pool.New(s)}
	for i := range s.Jobs {
		r.Entries = append(r.Entries, &engine.Entry{Job: &s.Jobs[i], PlannedAlloc: s.Jobs[i].On, Index: i})
	}
	return r
}

func TestGroupAccepts(t *testing.T) {
	for _, c := range []struct {
		name        string
		size        int
		joins       bool
		change      func(jobs []policy.Job, s *policy.Snapshot)
		sharesWith1 bool
	}{
		{"three of one user", 2, true, func([]policy.Job, *policy.Snapshot) {}, false},
		{"two at most", 2, false, func(j []policy.Job, _ *policy.Snapshot) { j[0].Sharing = nil }, false},
		{"no memory", 2, false, func(_ []policy.Job, s *policy.Snapshot) { s.Nodes[0].GPUs[0].MemMB = 36_500 }, false},
		{"memory with its margin", 2, true, func(_ []policy.Job, s *policy.Snapshot) { s.Nodes[0].GPUs[0].MemMB = 37_024 }, false},
		{"another user", 2, false, func(j []policy.Job, _ *policy.Snapshot) { j[2].User = "bob" }, false},
		{"on different devices", 1, true, func(j []policy.Job, _ *policy.Snapshot) {
			j[1].On = policy.Alloc{{Node: "n1", Type: "a100", Count: 1, Devices: 2}}
		}, false},
		{"not known which, and room for both", 1, true, func(j []policy.Job, _ *policy.Snapshot) {
			j[0].On, j[1].On = policy.Alloc{{Node: "n1", Type: "a100", Count: 1}}, policy.Alloc{{Node: "n1", Type: "a100", Count: 1}}
		}, false},
		{"not known which, put beside it", 2, true, func(j []policy.Job, _ *policy.Snapshot) {
			j[0].On, j[1].On = policy.Alloc{{Node: "n1", Type: "a100", Count: 1}}, policy.Alloc{{Node: "n1", Type: "a100", Count: 1}}
		}, true},
	} {
		r := trio(c.change)
		if c.sharesWith1 {
			r.Entries[1].SharesWith = 1
		}
		group := pack.Group(r, r.Entries[0])
		if got := pack.Accepts(r, group, r.Entries[0].PlannedAlloc, r.Entries[2]); len(group) != c.size || got != c.joins {
			t.Errorf("%s: a group of %d that accepts %v, want %d, %v", c.name, len(group), got, c.size, c.joins)
		}
	}
}
