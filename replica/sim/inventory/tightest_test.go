package inventory_test

import (
	"strings"
	"testing"

	"fairbridge/replica/sim/inventory"
)

// Where slurmctld 22.05 put such jobs, by its log.
func TestNodesAreChosenAsSlurmDoes(t *testing.T) {
	for _, c := range []struct {
		name string
		busy []string // nodes that are full
		part []string // nodes with a job that leaves GPUs
		ask  inventory.Request
		want string
	}{
		{"the beginning of the only stretch", nil, nil, inventory.Request{MinNodes: 2, GPUsPerNode: 8}, "n1,n2"},
		{"a node in use before an empty one", nil, []string{"n3"}, inventory.Request{MinNodes: 1, GPUsPerNode: 1}, "n3"},
		{"the shortest stretch that is long enough", []string{"n4", "n7"}, nil, inventory.Request{MinNodes: 2, GPUsPerNode: 8}, "n5,n6"},
		{"no stretch is long enough: the longest, then the next", []string{"n3", "n7"}, nil, inventory.Request{MinNodes: 4, GPUsPerNode: 8}, "n4,n5,n6,n8"},
		{"too few", []string{"n1", "n2", "n3", "n4", "n5", "n6"}, nil, inventory.Request{MinNodes: 3, GPUsPerNode: 8}, ""},
	} {
		v, err := inventory.New(inventory.UniformNodes(8, "a100", 8), []inventory.PartitionConfig{{Name: "gpu"}})
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range v.Nodes {
			for _, name := range c.busy {
				if n.Name == name {
					inventory.Request{MinNodes: 1, GPUsPerNode: 8, CPUsPerNode: 1}.FindSlots([]*inventory.Node{n}, (*inventory.Node).FreeResources).Allocate()
				}
			}
			for _, name := range c.part {
				if n.Name == name {
					inventory.Request{MinNodes: 1, GPUsPerNode: 2, CPUsPerNode: 1}.FindSlots([]*inventory.Node{n}, (*inventory.Node).FreeResources).Allocate()
				}
			}
		}
		c.ask.CPUsPerNode = 1
		var got []string
		for _, s := range c.ask.FindSlots(v.Nodes, (*inventory.Node).FreeResources) {
			got = append(got, s.Node.Name)
		}
		if g := strings.Join(got, ","); g != c.want {
			t.Errorf("%s: got %q, want %q", c.name, g, c.want)
		}
	}
}
