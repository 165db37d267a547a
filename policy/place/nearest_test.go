package place

import (
	"fmt"
	"testing"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/pool"
)

// TestNearestToIdeal: of three nodes the ideal has .2 of GPUs and cores and .3 of memory in use; the third is
// nearest to it.
func TestNearestToIdeal(t *testing.T) {
	if got := nearestToIdeal([]load{{.5, .2, .3}, {.2, .6, .3}, {.3, .3, .3}}); got != 2 {
		t.Errorf("node %d, want 2", got)
	}
	if got := nearestToIdeal(nil); got != -1 {
		t.Errorf("of none, %d", got)
	}
}

// TestNearest: where a gang goes among three nodes of eight GPUs on which jobs run.
func TestNearest(t *testing.T) {
	for name, c := range map[string]struct {
		running [3][3]int // GPUs, cores and gigabytes on each node
		busy    float64   // measured of the second node's GPUs
		ask     policy.Ask
		want    string
	}{
		"the least used":              {[3][3]int{{4, 10, 10}, {2, 10, 10}, {3, 10, 10}}, 0, policy.Ask{}, "n2:2×g"},
		"cores count, too":            {[3][3]int{{4, 10, 10}, {2, 80, 10}, {3, 10, 10}}, 0, policy.Ask{}, "n3:2×g"},
		"and what is measured":        {[3][3]int{{4, 10, 10}, {2, 10, 10}, {3, 10, 10}}, .9, policy.Ask{}, "n3:2×g"},
		"it would need too many":      {[3][3]int{{4, 10, 10}, {2, 60, 10}, {5, 10, 10}}, 0, policy.Ask{CPUs: 40}, "n1:2×g"},
		"there is no other":           {[3][3]int{{8, 60, 10}, {2, 60, 10}, {8, 60, 10}}, 0, policy.Ask{CPUs: 40}, "n2:2×g"},
		"a node that its owner wants": {[3][3]int{{4, 10, 10}, {2, 10, 10}, {3, 10, 10}}, 0, policy.Ask{RequiredNodes: []string{"n1"}}, "n1:2×g"},
		"one that has no room":        {[3][3]int{{4, 10, 10}, {7, 0, 0}, {3, 10, 10}}, 0, policy.Ask{}, "n3:2×g"},
	} {
		s := &policy.Snapshot{Now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
		r := &engine.Round{Snapshot: s}
		for i, used := range c.running {
			node := fmt.Sprint("n", i+1)
			s.Nodes = append(s.Nodes, policy.Node{Name: node, Partitions: []string{"p"}, CPUs: 100, MemMB: 100_000, GPUs: []policy.NodeDevices{{Type: "g", Count: 8}}})
			s.Jobs = append(s.Jobs, policy.Job{ID: policy.JobID(i + 1), Partition: "p", State: policy.Running, On: policy.Alloc{{Node: node, Type: "g", Count: used[0]}},
				Ask: policy.Ask{GPUs: policy.GPUs{Type: "g", Count: used[0]}, CPUs: used[1], MemMB: int64(used[2]) * 1000}})
		}
		if c.busy > 0 {
			s.Nodes[1].GPUs[0].Utilisation = policy.KnownValue(c.busy)
		}
		for i := range s.Jobs {
			r.Entries = append(r.Entries, &engine.Entry{Job: &s.Jobs[i], Index: i})
		}
		r.FreePool = pool.New(s)
		c.ask.GPUs = policy.GPUs{Type: "g", Count: 2}
		on, err := (&Nearest{MostUsed: .9}).Place(r, &engine.Entry{Job: &policy.Job{ID: 9, Partition: "p", Ask: c.ask}, WantedDeviceCount: 2})
		if err != nil || on.String() != c.want {
			t.Errorf("%s: on %v, %v, want %s", name, on, err, c.want)
		}
	}
}

// TestNearestCountsWhatItPlaced: the second gang goes elsewhere than the first.
func TestNearestCountsWhatItPlaced(t *testing.T) {
	s := &policy.Snapshot{Nodes: []policy.Node{{Name: "n1", Partitions: []string{"p"}, GPUs: []policy.NodeDevices{{Type: "g", Count: 8}}}, {Name: "n2", Partitions: []string{"p"}, GPUs: []policy.NodeDevices{{Type: "g", Count: 8}}}}}
	r := &engine.Round{Snapshot: s, FreePool: pool.New(s)}
	p := &Nearest{MostUsed: .9}
	for _, want := range []string{"n1:2×g", "n2:2×g"} {
		e := &engine.Entry{Job: &policy.Job{Partition: "p", Ask: policy.Ask{GPUs: policy.GPUs{Type: "g", Count: 2}}}, WantedDeviceCount: 2}
		if on, err := p.Place(r, e); err != nil || on.String() != want {
			t.Errorf("on %v, %v, want %s", on, err, want)
		}
	}
}
