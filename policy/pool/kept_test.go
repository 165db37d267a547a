package pool

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"fairbridge/policy"
)

// state prints all that a pool says, with devices that no job holds alike whether or not they ever were held.
func state(p *Pool) string {
	out := fmt.Sprint(p.totals, p.nodesWithFree, p.startTime, p.windowStarts, p.undoLog)
	for i := range p.nodes {
		h := &p.nodes[i]
		out += fmt.Sprint("\n", h.Name, h.freeCPUs, h.freeMemMB)
		for _, r := range h.typeDevices {
			held := slices.ContainsFunc(r.jobsByDevice, func(n int8) bool { return n != 0 })
			if out += fmt.Sprint(" ", r.gpuType, r.freeDevices); held {
				out += fmt.Sprint(r.jobsByDevice)
			}
		}
	}
	return out
}

// changeJobs draws what comes of the jobs until the next snapshot: they come, start, stop, move and end.
func changeJobs(t *rapid.T, s *policy.Snapshot) {
	draw := func(label string, n int) int { return rapid.IntRange(0, n-1).Draw(t, label) }
	s.Now = s.Now.Add(time.Duration(draw("minutes", 3)) * time.Minute)
	s.Jobs = slices.DeleteFunc(slices.Clone(s.Jobs), func(policy.Job) bool { return draw("ends", 5) == 0 })
	for range draw("new", 3) {
		j := policy.Job{ID: policy.JobID(draw("id", 40)), State: policy.Pending}
		j.Ask = policy.Ask{CPUs: draw("cpus", 4), MemMB: int64(draw("memory", 9))}
		at, found := slices.BinarySearchFunc(s.Jobs, j.ID, func(a policy.Job, id policy.JobID) int {
			return int(a.ID - id)
		})
		if !found {
			s.Jobs = slices.Insert(s.Jobs, at, j)
		}
	}
	for i := range s.Jobs {
		switch j := &s.Jobs[i]; draw("what", 5) {
		case 0:
			j.State, j.On, j.Given = policy.Pending, nil, policy.Amounts{}
		case 1:
			slot := policy.Slot{Node: fmt.Sprint("n", 1+draw("node", 3)), Type: "t4", Count: 1 + draw("count", 2)}
			if draw("type", 2) == 0 {
				slot.Type = "a100"
			}
			if draw("known", 2) == 0 {
				slot.Devices, slot.Count = policy.NewDeviceSet(draw("device", 2)), 1
			}
			j.State, j.On, j.Given.CPUs = policy.Running, policy.Alloc{slot}, draw("given", 3)
		}
	}
}

// TestKeptEqualsNew: over a drawn history the pool that is kept says at every snapshot what a new one says, whatever
// was tried on it in between; so it does where nodes are others, or are set aside.
func TestKeptEqualsNew(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, kept := poolSnapshot(), Kept{}
		if rapid.Bool().Draw(t, "window") {
			s.Nodes[0].Windows = []policy.Window{{From: s.Now.Add(time.Minute), To: s.Now.Add(2 * time.Minute)}}
		}
		for range rapid.IntRange(4, 16).Draw(t, "snapshots") {
			changeJobs(t, s)
			if rapid.IntRange(0, 5).Draw(t, "repair") == 0 {
				s.Nodes = slices.Clone(s.Nodes)
				s.Nodes[1].CPUs++
			}
			p := kept.Renew(s)
			if got, want := state(p), state(New(s)); got != want {
				t.Fatalf("of %+v\n%s is kept, and new is\n%s", s.Jobs, got, want)
			}
			tried := policy.NewDeviceSet(rapid.IntRange(0, 1).Draw(t, "tried"))
			p.Overdraw(policy.Alloc{{Node: "n2", Type: "t4", Count: 1, Devices: tried}}, 1, 1)
		}
	})
}
