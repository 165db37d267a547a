package fragment_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fairbridge/policy"
	"fairbridge/policy/fragment"
	"fairbridge/policy/pool"
)

var now = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

// cluster has nodes of eight of which so many are free each.
func cluster(free ...int) *policy.Snapshot {
	s := &policy.Snapshot{Now: now}
	for i, f := range free {
		n := policy.Node{Name: fmt.Sprint("n", i+1), Partitions: []string{"gpu"}, CPUs: 64, MemMB: 1 << 20, GPUs: []policy.NodeDevices{{Type: "g", Count: 8}}}
		s.Nodes = append(s.Nodes, n)
		if f < 8 {
			s.Jobs = append(s.Jobs, policy.Job{ID: policy.JobID(100 + i), State: policy.Running, Partition: "gpu", Ask: policy.Ask{GPUs: policy.GPUs{Count: 8 - f}}, On: policy.Alloc{{Node: n.Name, Type: "g", Count: 8 - f}}})
		}
	}
	return s
}

func waiting(s *policy.Snapshot, asks ...policy.Ask) *policy.Snapshot {
	for _, a := range asks {
		s.Jobs = append(s.Jobs, policy.Job{ID: policy.JobID(len(s.Jobs) + 1), State: policy.Pending, Partition: "gpu", Ask: a})
	}
	return s
}

// onNodes is an ask for so many GPUs on each of so many nodes.
func onNodes(nodes, each int) policy.Ask {
	return policy.Ask{GPUs: policy.GPUs{Count: nodes * each}, MinNodes: nodes, MaxNodes: nodes, PerNode: each}
}

// TestMeasure: what is free and of no use, on average too, and what waits for free GPUs that stand apart.
func TestMeasure(t *testing.T) {
	type want struct {
		Unusable, Blocked int
		Mean              float64
	}
	oneNode := cluster(5, 5)
	oneNode.Nodes[0].CPUs = 0
	held := waiting(cluster(5, 5), onNodes(1, 8))
	held.Jobs[len(held.Jobs)-1].HeldReason = "held by its user"
	array := waiting(cluster(5, 5), onNodes(1, 8), onNodes(1, 1))
	array.Jobs[len(array.Jobs)-1].Tasks = 3
	otherType := onNodes(1, 2)
	otherType.GPUs.Type = "h"
	down := waiting(cluster(8, 4), onNodes(1, 8))
	down.Nodes[0].DownReason = "drained"
	cores := onNodes(1, 2)
	cores.CPUs = 8
	for name, c := range map[string]struct {
		s    *policy.Snapshot
		want want
	}{
		"no job waits":               {cluster(5, 5), want{}},
		"free GPUs stand apart":      {waiting(cluster(5, 5), onNodes(1, 8)), want{10, 8, 10}},
		"too few are free":           {waiting(cluster(3, 0), onNodes(1, 8)), want{3, 0, 3}},
		"a small one has a use":      {waiting(cluster(5, 5), onNodes(1, 8), onNodes(1, 1)), want{0, 8, 5}},
		"tasks of an array count":    {array, want{0, 8, 2.5}},
		"one node is whole":          {waiting(cluster(5, 8), onNodes(1, 8)), want{5, 0, 5}},
		"two whole nodes are needed": {waiting(cluster(5, 8, 4), onNodes(2, 8)), want{17, 16, 17}},
		"any nodes will do":          {waiting(cluster(5, 5), policy.Ask{GPUs: policy.GPUs{Count: 8}}), want{}},
		"two nodes at most":          {waiting(cluster(5, 1, 2), policy.Ask{GPUs: policy.GPUs{Count: 7}, MaxNodes: 2}), want{1, 0, 1}},
		"no cores are left":          {waiting(oneNode, cores), want{5, 0, 5}},
		"it is held":                 {held, want{}},
		"another type":               {waiting(cluster(5, 5), otherType), want{}},
		"a node is down":             {down, want{4, 0, 4}},
		"it needs the other node":    {waiting(cluster(5, 2), policy.Ask{GPUs: policy.GPUs{Count: 2}, MaxNodes: 1, RequiredNodes: []string{"n2"}}), want{5, 0, 5}},
	} {
		m, got := fragment.Measure(c.s), want{}
		for _, p := range m.Places {
			got.Unusable += p.Unusable()
			got.Mean += p.MeanUnusable(m.Waiting)
		}
		for _, n := range m.BlockedByType {
			got.Blocked += n
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestAgreesWithPlacing: a gang can use some place if and only if it fits, and those where it
// would be put are among them.
func TestAgreesWithPlacing(t *testing.T) {
	r, fits := rand.New(rand.NewPCG(17, 4)), 0
	for range 3000 {
		free := make([]int, 1+r.IntN(6))
		for i := range free {
			free[i] = r.IntN(9)
		}
		ask := onNodes(1+r.IntN(3), 1+r.IntN(8))
		if r.IntN(2) == 0 {
			ask.PerNode = 0
			ask.MaxNodes = max(0, ask.MinNodes+r.IntN(3)-1)
		}
		if r.IntN(4) == 0 {
			ask.RequiredNodes = []string{fmt.Sprint("n", 1+r.IntN(len(free)))}
		}
		s := waiting(cluster(free...), ask)
		m := fragment.Measure(s)
		usable := map[string]bool{}
		for _, p := range m.Places {
			usable[p.Node] = p.UsableBy > 0
		}
		on, err := pool.Fit(pool.New(s), "gpu", ask)
		isUsable := false
		for _, u := range usable {
			isUsable = isUsable || u
		}
		if isUsable != (err == nil) {
			t.Fatalf("free %v, %+v: fits %v, usable %v", free, ask, err, usable)
		}
		for _, slot := range on {
			fits++
			if !usable[slot.Node] {
				t.Fatalf("free %v, %+v: would be on %v, usable %v", free, ask, on, usable)
			}
		}
	}
	if fits < 500 {
		t.Fatalf("only %d places were compared", fits)
	}
}
