package place_test

import (
	"fmt"
	"testing"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/place"
	"fairbridge/policy/pool"
)

var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// round has two leaves of two nodes with the given free a100 on each, and one
// entry of the ask that has waited a minute.
func round(free [4]int, ask policy.Ask) (*engine.Round, *engine.Entry) {
	s := &policy.Snapshot{Now: now}
	for i, n := range free {
		s.Nodes = append(s.Nodes, policy.Node{Name: fmt.Sprintf("n%d", i+1), LeafSwitch: fmt.Sprintf("leaf%d", i/2+1), Partitions: []string{"p"},
			GPUs: []policy.NodeDevices{{Type: "a100", Count: n}}})
	}
	j := &policy.Job{ID: 1, Partition: "p", State: policy.Pending, Arrive: now.Add(-time.Minute), Ask: ask}
	return &engine.Round{Snapshot: s, FreePool: pool.New(s)}, &engine.Entry{Job: j, WantedDeviceCount: ask.GPUs.Count}
}

func gpus(n int) policy.Ask { return policy.Ask{GPUs: policy.GPUs{Type: "a100", Count: n}} }

func even(n, per int) policy.Ask {
	a := gpus(n)
	a.PerNode = per
	return a
}

func TestPlace(t *testing.T) {
	for _, c := range []struct {
		name string
		p    engine.Placer
		free [4]int
		ask  policy.Ask
		want string // "": no place
	}{
		{"one leaf: rather than the fewest free", place.Consolidated{}, [4]int{4, 8, 8, 8}, gpus(12), "n1:4×a100,n2:8×a100"},
		{"one leaf: split over two would be tighter", place.Consolidated{}, [4]int{2, 8, 2, 8}, even(4, 2), "n1:2×a100,n2:2×a100"},
		{"one leaf: fewest nodes first", place.Consolidated{}, [4]int{4, 4, 8, 8}, gpus(8), "n3:8×a100"},
		{"one leaf: least left over", place.Consolidated{}, [4]int{8, 8, 8, 2}, gpus(8), "n3:8×a100"},
		{"one leaf: else anywhere", place.Consolidated{}, [4]int{4, 4, 4, 4}, gpus(16), "n1:4×a100,n2:4×a100,n3:4×a100,n4:4×a100"},
		{"emptiest first", place.EmptiestFirst{}, [4]int{2, 6, 8, 6}, gpus(15), "n2:6×a100,n3:8×a100,n4:1×a100"},
		{"emptiest first: though another is tighter", place.EmptiestFirst{}, [4]int{2, 6, 8, 6}, gpus(2), "n3:2×a100"},
		{"emptiest first: so many on each", place.EmptiestFirst{}, [4]int{2, 6, 8, 6}, even(4, 2), "n1:2×a100,n2:2×a100"},
		{"emptiest first: too many", place.EmptiestFirst{}, [4]int{2, 6, 8, 6}, gpus(23), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, e := round(c.free, c.ask)
			on, err := c.p.Place(r, e)
			if on.String() != c.want || (err == nil) != (c.want != "") {
				t.Errorf("Place = %v, %v; want %q", on, err, c.want)
			}
		})
	}
}

// TestUnknownLeavesAreNotOneLeaf: nodes of unknown leaf do not make one together, so the two on one leaf are taken.
func TestUnknownLeavesAreNotOneLeaf(t *testing.T) {
	r, e := round([4]int{4, 4, 4, 4}, gpus(8))
	for i := range r.Nodes[:2] {
		r.Nodes[i].LeafSwitch = ""
	}
	if on, err := (place.Consolidated{}).Place(r, e); err != nil || on.String() != "n3:4×a100,n4:4×a100" {
		t.Errorf("Place = %v, %v, want n3 and n4", on, err)
	}
}
