package pool_test

import (
	"testing"

	"fairbridge/policy"
	"fairbridge/policy/pool"
)

// sharedNode is a node of four GPUs with jobs of one GPU each on the devices.
func sharedNode(devices ...int) *policy.Snapshot {
	s := &policy.Snapshot{Nodes: []policy.Node{{Name: "n1", Partitions: []string{"p"}, GPUs: []policy.NodeDevices{{Type: "g", Count: 4}}}}}
	for i, d := range devices {
		s.Jobs = append(s.Jobs, policy.Job{ID: policy.JobID(i + 1), State: policy.Running, On: onDevices(d)})
	}
	return s
}

func onDevices(devices ...int) policy.Alloc {
	return policy.Alloc{{Node: "n1", Type: "g", Count: len(devices), Devices: policy.NewDeviceSet(devices...)}}
}

// TestSharedDevices: a device is taken once, however many jobs are on it, and is free when the last
// of them has left.
func TestSharedDevices(t *testing.T) {
	p := pool.New(sharedNode(0, 0, 0, 2))
	free := func(what string, want int) {
		t.Helper()
		if got := p.FreeOnNode("n1", "g"); got != want || p.TotalFree("g") != want {
			t.Errorf("%s: %d free on the node, %d in all, want %d", what, got, p.TotalFree("g"), want)
		}
	}
	free("three on one GPU, one on another", 2)
	mark := p.UndoMark()
	p.GiveBack(onDevices(0), 0, 0)
	free("one of three leaves", 2)
	p.GiveBack(onDevices(0), 0, 0)
	p.GiveBack(onDevices(0), 0, 0)
	free("all leave", 3)
	other := p.Clone()
	if err := p.Take(onDevices(0, 1), 0, 0); err != nil {
		t.Error(err)
	}
	free("two are taken by name", 1)
	p.Rewind(mark)
	free("all is undone", 2)
	if other.FreeOnNode("n1", "g") != 3 {
		t.Error("a copy was changed with its original")
	}
}

// TestTakeSharedDevices: what a job holds cannot be taken by name, but by a job that was there before.
func TestTakeSharedDevices(t *testing.T) {
	p := pool.New(sharedNode(0, 1))
	if err := p.Take(onDevices(0), 0, 0); err == nil {
		t.Error("a device that a job holds was taken")
	}
	if err := pool.TakeAgain(p, onDevices(0), 0, 0); err != nil {
		t.Error(err)
	}
	if got := p.FreeOnNode("n1", "g"); got != 2 {
		t.Errorf("%d free, want 2", got)
	}
	p.Overdraw(policy.Alloc{{Node: "n1", Type: "g", Count: 2}}, 0, 0) // of which it is not known which they are
	if err := pool.TakeAgain(p, onDevices(3), 0, 0); err == nil || p.FreeOnNode("n1", "g") != 0 {
		t.Error("a device was taken where none is free")
	}
}
