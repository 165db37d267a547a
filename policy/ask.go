package policy

import (
	"fmt"
	"strings"
	"time"
)

// GPUs is an amount of GPU devices of one kind. Slices (MIG) and shards are
// devices of a type of their own whose Part is less than 100.
type GPUs struct {
	Type  string `json:"type,omitempty"` // e.g. "a100", "1g.5gb", "shard"; "": any whole GPU
	Count int    `json:"count"`
	Part  int    `json:"part,omitempty"` // percent of a whole GPU each device is; 0 and 100: whole
}

// Whole returns the amount in whole GPUs.
func (g GPUs) Whole() float64 {
	if g.Part == 0 {
		return float64(g.Count)
	}
	return float64(g.Count) * float64(g.Part) / 100
}

// String prints "4 a100" or "4 GPUs".
func (g GPUs) String() string {
	switch {
	case g.Type != "":
		return fmt.Sprintf("%d %s", g.Count, g.Type)
	case g.Count == 1:
		return "1 GPU"
	}
	return fmt.Sprintf("%d GPUs", g.Count)
}

// Ask is what one task of a job wants, as a gang: all of it or nothing.
type Ask struct {
	GPUs     GPUs     `json:"gpus"`                // over all nodes
	Nodes    int      `json:"nodes,omitempty"`     // fewest nodes; 0 and 1: one is enough
	MaxNodes int      `json:"max_nodes,omitempty"` // most nodes; 0: no limit
	PerNode  int      `json:"per_node,omitempty"`  // GPUs on every node; 0: any split
	CPUs     int      `json:"cpus,omitempty"`      // cores over all nodes
	MemMB    int64    `json:"mem_mb,omitempty"`    // memory over all nodes, megabytes
	Require  []string `json:"require,omitempty"`   // nodes the user insists on, sorted
	Exclude  []string `json:"exclude,omitempty"`   // nodes the user refuses, sorted
	Features []string `json:"features,omitempty"`  // every one must be on every node, sorted
	// Types are all types of whole GPUs, in the order to try them for an ask of any
	// type. A Round sets it for what it places; nil: the fastest first.
	Types []string `json:"-"`
	// Limit is how long it is wanted at the longest: the job's time limit, set by
	// Gang; 0: without end. A node that is set aside before has no room.
	Limit time.Duration `json:"-"`
}

// Slot is a number of devices of one type on one node.
type Slot struct {
	Node  string `json:"node"`
	Type  string `json:"type"`
	Count int    `json:"count"`
}

// Alloc is an allocation, sorted by node, then type. Slurm itself chooses the
// devices of a node; a plan counts them.
type Alloc []Slot

// Count returns the number of devices.
func (a Alloc) Count() int {
	n := 0
	for _, s := range a {
		n += s.Count
	}
	return n
}

// Type returns the type of the first devices; "" when none are held, or none
// that are known.
func (a Alloc) Type() string {
	if len(a) == 0 {
		return ""
	}
	return a[0].Type
}

// Nodes returns the node names, each once, in order.
func (a Alloc) Nodes() []string {
	var names []string
	for _, s := range a {
		if len(names) == 0 || names[len(names)-1] != s.Node {
			names = append(names, s.Node)
		}
	}
	return names
}

// Equal reports whether both are the same devices on the same nodes.
func (a Alloc) Equal(b Alloc) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// String prints "n1:4×a100,n2:4×a100".
func (a Alloc) String() string {
	var b strings.Builder
	for i, s := range a {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%s:%d×%s", s.Node, s.Count, s.Type)
	}
	return b.String()
}

// Portion returns a node's share of n when it has here of all devices, rounded up.
func Portion[N int | int64](n N, here, all int) N {
	if all == 0 || n == 0 {
		return 0
	}
	return (n*N(here) + N(all) - 1) / N(all)
}

// Compare orders slots by node, then type.
func (s Slot) Compare(t Slot) int {
	if c := strings.Compare(s.Node, t.Node); c != 0 {
		return c
	}
	return strings.Compare(s.Type, t.Type)
}

// CountOn returns the number of devices on the node.
func (a Alloc) CountOn(node string) int {
	n := 0
	for _, s := range a {
		if s.Node == node {
			n += s.Count
		}
	}
	return n
}
