package inventory_test

import (
	"fmt"
	"strings"
	"testing"

	"fairbridge/bridge/sim/inventory"
)

// small is n1 and n2 with eight A100, and n3 with four H100 and two A100.
func small(t *testing.T) *inventory.Inventory {
	t.Helper()
	nodes := inventory.UniformNodes(3, "a100", 8)
	nodes[2].GPUs = []inventory.GPUs{{Type: "h100", Count: 4}, {Type: "a100", Count: 2}}
	nodes[1].Features = []string{"ib", "nvlink"}
	v, err := inventory.New(nodes, []inventory.PartitionConfig{{Name: "gpu"}, {Name: "low", Nodes: []string{"n3", "n1"}}})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestFitIsInSlurmsOrder(t *testing.T) {
	v := small(t)
	inventory.Ask{Nodes: 1, PerNode: 3, CPUs: 4, MemMB: 1024}.Fit(v.Nodes, (*inventory.Node).Room).Allocate() // on n1
	for _, c := range []struct {
		ask  inventory.Ask
		want string
	}{
		{inventory.Ask{Nodes: 1, PerNode: 5}, "n1:5"},
		{inventory.Ask{Nodes: 1, PerNode: 6}, "n2:6"},
		{inventory.Ask{Nodes: 1, PerNode: 2, Type: "h100"}, "n3:2"},
		{inventory.Ask{Nodes: 2, PerNode: 4}, "n1:4 n2:4"},
		{inventory.Ask{Nodes: 3, PerNode: 5}, ""},
		{inventory.Ask{Nodes: 1, PerNode: 1, All: true}, "n2:1"},     // n1 is in use
		{inventory.Ask{Nodes: 1, Total: 12}, "n2:8 n1:4"},            // those with most free
		{inventory.Ask{Nodes: 1, Total: 7}, "n2:7"},                  // one node if one has them
		{inventory.Ask{Nodes: 2, Total: 8}, "n2:7 n1:1"},             // two, if two are wanted
		{inventory.Ask{Nodes: 1, PerNode: 6, RequiredNodes: 1}, ""},  // only the first would do
		{inventory.Ask{Nodes: 1, PerNode: 1, CPUs: 62}, "n2:1"},      // cores
		{inventory.Ask{Nodes: 1, PerNode: 1, MemMB: 512000}, "n2:1"}, // memory
		{inventory.Ask{Nodes: 1}, "n1:0"},
	} {
		var got []string
		for _, s := range c.ask.Fit(v.Nodes, (*inventory.Node).Room) {
			got = append(got, fmt.Sprintf("%s:%d", s.Node.Name, s.GPUs))
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%+v: %q, want %q", c.ask, s, c.want)
		}
	}
}

func TestCandidatesOfAPartition(t *testing.T) {
	v := small(t)
	for _, c := range []struct {
		partition string
		choice    inventory.Choice
		want      string
		ok        bool
	}{
		{"gpu", inventory.Choice{}, "n1 n2 n3", true},
		{"low", inventory.Choice{}, "n1 n3", true},
		{"gpu", inventory.Choice{Features: "ib&nvlink"}, "n2", true},
		{"gpu", inventory.Choice{Features: "ib&fast"}, "", true},
		{"gpu", inventory.Choice{Required: []string{"n3"}, Excluded: []string{"n1"}}, "n3 n2", true},
		{"low", inventory.Choice{Required: []string{"n2"}}, "n1 n3", false},
	} {
		list, ok := v.Partition(c.partition).Candidates(c.choice)
		if got := strings.Join(inventory.NodeNames(list), " "); got != c.want || ok != c.ok {
			t.Errorf("%s, %+v: %q %t, want %q %t", c.partition, c.choice, got, ok, c.want, c.ok)
		}
	}
	v.Node("n1").Drain = "memory"
	if list, _ := v.Partition("gpu").Candidates(inventory.Choice{}); len(list) != 2 {
		t.Errorf("%v with a node drained", inventory.NodeNames(list))
	}
}

func TestTakenDevicesAreShownAndComeBack(t *testing.T) {
	v := small(t)
	ask := inventory.Ask{Nodes: 1, PerNode: 3, CPUs: 4, MemMB: 2048}
	a := ask.Fit(v.Nodes, (*inventory.Node).Room)
	a.Allocate()
	b := ask.Fit(v.Nodes, (*inventory.Node).Room)
	b.Allocate()
	a.Release()
	c := inventory.Ask{Nodes: 1, PerNode: 4, CPUs: 1}.Fit(v.Nodes, (*inventory.Node).Room)
	c.Allocate()
	if got, want := fmt.Sprint(c.Gres(), c.TRES()), "[gpu:a100:4(IDX:0-2,6)]cpu=1,node=1,billing=1,gres/gpu=4,gres/gpu:a100=4"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if r := v.Node("n1").Room(); r.GPUs[0] != 1 || r.CPUs != 59 || r.MemMB != 512_000-2048 || r.Jobs != 2 {
		t.Errorf("room %+v", r)
	}
	b.Release()
	c.Release()
	if n := v.Node("n1"); n.Used != (inventory.Used{}) || n.Show().State != "IDLE" {
		t.Errorf("%+v %s when all have left", n.Used, n.Show().State)
	}
}
