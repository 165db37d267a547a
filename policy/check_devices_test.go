package policy_test

import (
	"strings"
	"testing"
	"time"

	"fairbridge/policy"
)

// sharers are three jobs on one node of two devices; each case says what is wrong with them.
func sharers(change func(jobs []policy.Job, on []policy.DeviceSet)) (*policy.Snapshot, *policy.Plan) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	s := &policy.Snapshot{Now: now, Nodes: []policy.Node{{Name: "n1", Partitions: []string{"gpu"}, CPUs: 8, MemMB: 8000,
		GPUs: []policy.NodeDevices{{Type: "a100", Count: 2, MemMB: 40_000}}}}}
	on := []policy.DeviceSet{1, 1, 2}
	for i := range on {
		s.Jobs = append(s.Jobs, policy.Job{ID: policy.JobID(i + 1), User: "eve", Partition: "gpu", State: policy.Pending, Arrive: now,
			Ask: policy.Ask{GPUs: policy.GPUs{Type: "a100", Count: 1}}, Shareable: true,
			Sharing: &policy.Sharing{JobsPerGPU: 3, MemMB: 15_000}})
	}
	change(s.Jobs, on)
	p := &policy.Plan{}
	for i := range s.Jobs {
		p.Decisions = append(p.Decisions, policy.Decision{Job: s.Jobs[i].ID, Verb: policy.Start, Rank: i + 1, GPUs: 1, Why: "test",
			On: policy.Alloc{{Node: "n1", Type: "a100", Count: 1, Devices: on[i]}}})
	}
	return s, p
}

func TestCheckOfSharedDevices(t *testing.T) {
	for _, c := range []struct {
		name, want string
		change     func(jobs []policy.Job, on []policy.DeviceSet)
	}{
		{"lawful", "", func([]policy.Job, []policy.DeviceSet) {}},
		{"three on one", "device 0 of node n1 has 40000 MB, its jobs use 45000", func(_ []policy.Job, on []policy.DeviceSet) { on[2] = 1 }},
		{"memory not known", "", func(j []policy.Job, on []policy.DeviceSet) { on[2], j[0].Sharing = 1, &policy.Sharing{JobsPerGPU: 3} }},
		{"too many", "it accepts 2", func(j []policy.Job, on []policy.DeviceSet) { on[2], j[0].Sharing = 1, nil }},
		{"takes none", "it accepts 1", func(j []policy.Job, _ []policy.DeviceSet) { j[1].Shareable = false }},
		{"another user", "do not accept", func(j []policy.Job, _ []policy.DeviceSet) { j[1].User = "bob" }},
		{"another user, both accept", "", func(j []policy.Job, _ []policy.DeviceSet) {
			j[1].User, j[0].Sharing.AcceptsOtherUsers, j[1].Sharing.AcceptsOtherUsers = "bob", true, true
		}},
		{"one more named", "2 of them named", func(_ []policy.Job, on []policy.DeviceSet) { on[2] = 3 }},
	} {
		s, p := sharers(c.change)
		err := p.Check(s)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// TestKeptApart: jobs that were separated are no neighbours, whichever of them knows it.
func TestKeptApart(t *testing.T) {
	a, b := policy.Job{ID: 1, Shareable: true}, policy.Job{ID: 2, Shareable: true, Sharing: &policy.Sharing{Apart: []policy.JobID{7, 1}}}
	if a.AcceptsNeighbour(&b) || b.AcceptsNeighbour(&a) {
		t.Error("they are together again")
	}
	if b.Sharing.Apart = []policy.JobID{7}; !a.AcceptsNeighbour(&b) {
		t.Error("they are kept apart for good")
	}
	s := policy.Snapshot{Jobs: []policy.Job{b}}
	if c := s.Clone(); &c.Jobs[0].Sharing.Apart[0] == &b.Sharing.Apart[0] {
		t.Error("a copy shares the list")
	}
}
