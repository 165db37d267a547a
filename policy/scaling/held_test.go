package scaling_test

import (
	"testing"

	"fairbridge/policy"
	"fairbridge/policy/scaling"
)

func TestHeldSize(t *testing.T) {
	var s policy.Snapshot
	for _, name := range []string{"n1", "n2", "n3"} {
		s.Nodes = append(s.Nodes, policy.Node{Name: name, GPUs: []policy.NodeDevices{{Type: "a100", Count: 4}, {Type: "t4", Count: 1}}})
	}
	on := func(counts ...int) (a policy.Alloc) {
		for i, n := range counts {
			a = append(a, policy.Slot{Node: s.Nodes[i].Name, Type: "a100", Count: n})
		}
		return a
	}
	for name, c := range map[string]struct {
		on   policy.Alloc
		want scaling.Size
	}{
		"waits":                 {nil, scaling.Size{Type: "a100", Devices: 2}},
		"on one node":           {on(3), scaling.Size{Type: "a100", Devices: 3}},
		"on two it needs":       {on(4, 4), scaling.Size{Type: "a100", Devices: 8}},
		"on two, one will do":   {on(2, 2), scaling.Size{Type: "a100", Devices: 4, Nodes: 2}},
		"on three, two will do": {on(2, 2, 2), scaling.Size{Type: "a100", Devices: 6, Nodes: 3}},
	} {
		j := &policy.Job{Ask: policy.Ask{GPUs: policy.GPUs{Type: "a100", Count: 2}}, On: c.on}
		if got := scaling.HeldSize(&s, j); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}
