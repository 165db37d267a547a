package pool_test

import (
	"testing"

	"fairbridge/policy"
	"fairbridge/policy/pool"
)

// underSwitches has a node of so many free GPUs for each letter: a and b below leaf s1, c and d below s2, both of which are below
// left; e and f below s3, below right; all below top. x has no switch.
func underSwitches(free map[string]int) *policy.Snapshot {
	s := &policy.Snapshot{}
	for _, n := range []struct{ name, leaf, mid string }{{"a", "s1", "left"}, {"b", "s1", "left"}, {"c", "s2", "left"}, {"d", "s2", "left"}, {"e", "s3", "right"}, {"f", "s3", "right"}, {"x", "", ""}} {
		node := policy.Node{Name: n.name, LeafSwitch: n.leaf, Partitions: []string{"p"}, GPUs: []policy.NodeDevices{{Type: "g", Count: free[n.name]}}}
		if n.mid != "" {
			node.Switches = []string{n.mid, "top"}
		}
		s.Nodes = append(s.Nodes, node)
	}
	return s
}

// TestFitBelowOneSwitch: gangs of several nodes go below one switch, the lowest that has room, but on no more nodes than
// they need.
func TestFitBelowOneSwitch(t *testing.T) {
	for name, c := range map[string]struct {
		free map[string]int
		ask  policy.Ask
		want string
	}{
		"one leaf, though others are larger": {map[string]int{"a": 8, "c": 8, "e": 4, "f": 4}, policy.Ask{GPUs: policy.GPUs{Type: "g", Count: 8}, PerNode: 4}, "e:4×g,f:4×g"},
		"of two leaves the tighter":          {map[string]int{"a": 8, "b": 8, "c": 4, "d": 4}, policy.Ask{GPUs: policy.GPUs{Type: "g", Count: 8}, PerNode: 4}, "c:4×g,d:4×g"},
		"no leaf, but one switch above":      {map[string]int{"a": 8, "c": 8, "e": 8}, policy.Ask{GPUs: policy.GPUs{Type: "g", Count: 16}}, "a:8×g,c:8×g"},
		"only the top joins them":            {map[string]int{"a": 8, "e": 8}, policy.Ask{GPUs: policy.GPUs{Type: "g", Count: 16}}, "a:8×g,e:8×g"},
		"fewer nodes come before switches":   {map[string]int{"a": 8, "c": 8, "e": 6, "f": 6, "d": 4}, policy.Ask{GPUs: policy.GPUs{Type: "g", Count: 16}}, "a:8×g,c:8×g"},
		"one node where one is enough":       {map[string]int{"a": 4, "b": 4, "e": 8}, policy.Ask{GPUs: policy.GPUs{Type: "g", Count: 8}}, "e:8×g"},
		"without a switch where it must be":  {map[string]int{"a": 8, "x": 8}, policy.Ask{GPUs: policy.GPUs{Type: "g", Count: 16}}, "a:8×g,x:8×g"},
		"nodes that are required":            {map[string]int{"a": 8, "c": 8, "e": 8, "f": 8}, policy.Ask{GPUs: policy.GPUs{Type: "g", Count: 16}, RequiredNodes: []string{"c"}}, "a:8×g,c:8×g"},
		"as many nodes as are asked for":     {map[string]int{"a": 8, "b": 8, "c": 8, "d": 8, "e": 8}, policy.Ask{GPUs: policy.GPUs{Type: "g", Count: 4}, MinNodes: 4}, "a:1×g,b:1×g,c:1×g,d:1×g"},
	} {
		on, err := pool.Fit(pool.New(underSwitches(c.free)), "p", c.ask)
		if err != nil || on.String() != c.want {
			t.Errorf("%s: %v, %v, want %s", name, on, err, c.want)
		}
	}
}
