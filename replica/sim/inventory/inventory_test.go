package inventory_test

import (
	"fmt"
	"strings"
	"testing"

	"fairbridge/replica/sim/inventory"
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
	inventory.Request{MinNodes: 1, GPUsPerNode: 3, CPUsPerNode: 4, MemMBPerNode: 1024}.FindSlots(v.Nodes, (*inventory.Node).FreeResources).Allocate() // on n1
	for _, c := range []struct {
		ask  inventory.Request
		want string
	}{
		{inventory.Request{MinNodes: 1, GPUsPerNode: 5}, "n1:5"},
		{inventory.Request{MinNodes: 1, GPUsPerNode: 6}, "n2:6"},
		{inventory.Request{MinNodes: 1, GPUsPerNode: 2, GPUType: "h100"}, "n3:2"},
		{inventory.Request{MinNodes: 2, GPUsPerNode: 4}, "n1:4 n2:4"},
		{inventory.Request{MinNodes: 3, GPUsPerNode: 5}, ""},
		{inventory.Request{MinNodes: 1, GPUsPerNode: 1, Exclusive: true}, "n2:1"},      // n1 is in use
		{inventory.Request{MinNodes: 1, TotalGPUs: 12}, "n2:8 n1:4"},                   // those with most free
		{inventory.Request{MinNodes: 1, TotalGPUs: 7}, "n2:7"},                         // one node if one has them
		{inventory.Request{MinNodes: 2, TotalGPUs: 8}, "n2:7 n1:1"},                    // two, if two are wanted
		{inventory.Request{MinNodes: 1, GPUsPerNode: 6, NamedNodeCount: 1}, ""},        // only the first would do
		{inventory.Request{MinNodes: 1, GPUsPerNode: 1, CPUsPerNode: 62}, "n2:1"},      // cores
		{inventory.Request{MinNodes: 1, GPUsPerNode: 1, MemMBPerNode: 512000}, "n2:1"}, // memory
		{inventory.Request{MinNodes: 1}, "n1:0"},
	} {
		var got []string
		for _, s := range c.ask.FindSlots(v.Nodes, (*inventory.Node).FreeResources) {
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
		choice    inventory.NodeFilter
		want      string
		ok        bool
	}{
		{"gpu", inventory.NodeFilter{}, "n1 n2 n3", true},
		{"low", inventory.NodeFilter{}, "n1 n3", true},
		{"gpu", inventory.NodeFilter{Features: "ib&nvlink"}, "n2", true},
		{"gpu", inventory.NodeFilter{Features: "ib&fast"}, "", true},
		{"gpu", inventory.NodeFilter{RequiredNodes: []string{"n3"}, ExcludedNodes: []string{"n1"}}, "n3 n2", true},
		{"low", inventory.NodeFilter{RequiredNodes: []string{"n2"}}, "n1 n3", false},
	} {
		list, ok := v.Partition(c.partition).CandidateNodes(c.choice)
		if got := strings.Join(inventory.NodeNames(list), " "); got != c.want || ok != c.ok {
			t.Errorf("%s, %+v: %q %t, want %q %t", c.partition, c.choice, got, ok, c.want, c.ok)
		}
	}
	v.Node("n1").DrainReason = "memory"
	if list, _ := v.Partition("gpu").CandidateNodes(inventory.NodeFilter{}); len(list) != 2 {
		t.Errorf("%v with a node drained", inventory.NodeNames(list))
	}
}

func TestTakenDevicesAreShownAndComeBack(t *testing.T) {
	v := small(t)
	ask := inventory.Request{MinNodes: 1, GPUsPerNode: 3, CPUsPerNode: 4, MemMBPerNode: 2048}
	a := ask.FindSlots(v.Nodes, (*inventory.Node).FreeResources)
	a.Allocate()
	b := ask.FindSlots(v.Nodes, (*inventory.Node).FreeResources)
	b.Allocate()
	a.Release()
	c := inventory.Request{MinNodes: 1, GPUsPerNode: 4, CPUsPerNode: 1}.FindSlots(v.Nodes, (*inventory.Node).FreeResources)
	c.Allocate()
	if got, want := fmt.Sprint(c.FormatGres(), c.FormatTRES()), "[gpu:a100:4(IDX:0-2,6)]cpu=1,node=1,billing=1,gres/gpu=4,gres/gpu:a100=4"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if r := v.Node("n1").FreeResources(); r.GPUsByType[0] != 1 || r.CPUs != 59 || r.MemMB != 512_000-2048 || r.JobCount != 2 {
		t.Errorf("room %+v", r)
	}
	b.Release()
	c.Release()
	if n := v.Node("n1"); n.Usage != (inventory.NodeUsage{}) || n.AsSlurm().State != "IDLE" {
		t.Errorf("%+v %s when all have left", n.Usage, n.AsSlurm().State)
	}
}

// TestDetailsGoInTheOrderOfTheNodes, as Slurm's do: else a reader gives each node what another has.
func TestDetailsGoInTheOrderOfTheNodes(t *testing.T) {
	v := small(t)
	slots := inventory.Slots{{Node: v.Node("n2"), GPUs: 3, DeviceMask: 7}, {Node: v.Node("n1"), GPUs: 1, DeviceMask: 1}}
	if got := fmt.Sprint(slots.FormatGres()); !strings.HasPrefix(got, "[gpu:a100:1(IDX:0) gpu:") {
		t.Errorf("%s, want that of n1 first", got)
	}
}
