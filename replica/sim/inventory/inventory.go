// Package inventory is what a simulated cluster consists of: nodes with their
// GPUs, partitions over them, and what of a node is taken. It finds a place for
// what one task asks, among the nodes as they are now or as they will be.
package inventory

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// MaxGPUTypes is the most GPU types one node can have.
const MaxGPUTypes = 4

// Inventory is the nodes and partitions of a cluster.
type Inventory struct {
	Nodes       []*Node // in Slurm's order, which is the order of choice
	Partitions  []*Partition
	nodesByName map[string]*Node
}

// Partition is a queue with its nodes.
type Partition struct {
	PartitionConfig
	Nodes []*Node
}

// New makes an inventory of which nothing is taken. An error names what is wrong
// with the description.
func New(nodes []NodeConfig, partitions []PartitionConfig) (*Inventory, error) {
	v := &Inventory{nodesByName: map[string]*Node{}}
	for i, n := range nodes {
		if err := v.addNode(i, n); err != nil {
			return nil, err
		}
	}
	for _, p := range partitions {
		if err := v.addPartition(p); err != nil {
			return nil, err
		}
	}
	return v, nil
}

// Node returns the node of a name; nil: there is none.
func (v *Inventory) Node(name string) *Node { return v.nodesByName[name] }

// Partition returns the partition of a name; nil: there is none.
func (v *Inventory) Partition(name string) *Partition {
	for _, p := range v.Partitions {
		if p.Name == name {
			return p
		}
	}
	return nil
}

// HasNodes reports whether there is a node of each name.
func (v *Inventory) HasNodes(names []string) bool {
	return !slices.ContainsFunc(names, func(name string) bool { return v.nodesByName[name] == nil })
}

// HasPartitions reports whether there is a partition of each name in a comma
// list.
func (v *Inventory) HasPartitions(list string) bool {
	return !slices.ContainsFunc(strings.Split(list, ","), func(name string) bool { return v.Partition(name) == nil })
}

// SelectNodes returns the nodes of the names in Slurm's order; all without names.
func (v *Inventory) SelectNodes(names []string) []*Node {
	var out []*Node
	for _, n := range v.Nodes {
		if len(names) == 0 || slices.Contains(names, n.Name) {
			out = append(out, n)
		}
	}
	return out
}

func (v *Inventory) addNode(i int, n NodeConfig) error {
	switch {
	case n.Name == "":
		return fmt.Errorf("node %d has no name", i+1)
	case v.nodesByName[n.Name] != nil:
		return fmt.Errorf("node %s is given twice", n.Name)
	case len(n.GPUs) > MaxGPUTypes:
		return fmt.Errorf("node %s has %d GPU types; the most is %d", n.Name, len(n.GPUs), MaxGPUTypes)
	}
	for _, g := range n.GPUs {
		if g.Type == "" || g.Count < 1 || g.Count > 64 {
			return fmt.Errorf("node %s: want a GPU type and a count from 1 to 64, not %q %d", n.Name, g.Type, g.Count)
		}
	}
	if n.CPUs == 0 {
		n.CPUs = 64
	}
	if n.MemMB == 0 {
		n.MemMB = 512_000
	}
	x := &Node{NodeConfig: n, Index: i}
	v.Nodes = append(v.Nodes, x)
	v.nodesByName[n.Name] = x
	return nil
}

func (v *Inventory) addPartition(p PartitionConfig) error {
	if p.Name == "" || strings.Contains(p.Name, ",") {
		return fmt.Errorf("%q is not a partition name", p.Name)
	}
	if p.Tier == 0 {
		p.Tier = 1
	}
	for _, name := range p.Nodes {
		if v.nodesByName[name] == nil {
			return fmt.Errorf("partition %s: no node %q", p.Name, name)
		}
	}
	x := &Partition{PartitionConfig: p, Nodes: v.SelectNodes(p.Nodes)}
	for _, n := range x.Nodes {
		n.Partitions = append(n.Partitions, p.Name)
	}
	v.Partitions = append(v.Partitions, x)
	return nil
}

// NodeConfig describes one machine.
type NodeConfig struct {
	Name       string
	GPUs       []GPUs // at most MaxTypes types
	CPUs       int    // 64 when zero
	MemMB      int64  // 512,000 when zero
	Features   []string
	LeafSwitch string // its leaf switch; "": not known

	ShardsPerGPU  int  // of how many shards each of its GPUs consists, at most 255; 0: it gives none out
	SpreadsShards bool // LL_SHARED_GRES: shards are of the GPU with most left
}

// GPUs are the devices of one type on a node.
type GPUs struct {
	Type  string
	Count int // 1 to 64
}

// PartitionConfig describes a queue over nodes.
type PartitionConfig struct {
	Name    string
	Nodes   []string      // none: all
	MaxTime time.Duration // also the limit of jobs that give none; 0: no limit
	Tier    int           // jobs of a higher tier go first; 1 when zero
	IsDown  bool          // jobs queue but do not start
}

// UniformNodes returns n nodes n1…nN with the same GPUs.
func UniformNodes(n int, gpuType string, gpus int) []NodeConfig {
	nodes := make([]NodeConfig, n)
	for i := range nodes {
		nodes[i] = NodeConfig{Name: "n" + strconv.Itoa(i+1), GPUs: []GPUs{{gpuType, gpus}}}
	}
	return nodes
}
