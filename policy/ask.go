package policy

import (
	"fmt"
	"time"
)

// GPUs is an amount of GPU devices of one kind. Slices (MIG) and shards are
// devices of a type of their own whose PartPercent is less than 100.
type GPUs struct {
	Type        string `json:"type,omitempty"` // e.g. "a100", "1g.5gb", "shard"; "": any whole GPU
	Count       int    `json:"count"`
	PartPercent int    `json:"part,omitempty"` // percent of a whole GPU each device is; 0 and 100: whole
}

// WholeGPUs returns the amount in whole GPUs.
func (g GPUs) WholeGPUs() float64 {
	if g.PartPercent == 0 {
		return float64(g.Count)
	}
	return float64(g.Count) * float64(g.PartPercent) / 100
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
	GPUs          GPUs     `json:"gpus"`                // over all nodes
	MinNodes      int      `json:"nodes,omitempty"`     // fewest nodes; 0 and 1: one is enough
	MaxNodes      int      `json:"max_nodes,omitempty"` // most nodes; 0: no limit
	PerNode       int      `json:"per_node,omitempty"`  // GPUs on every node; 0: any split
	CPUs          int      `json:"cpus,omitempty"`      // cores over all nodes
	MemMB         int64    `json:"mem_mb,omitempty"`    // memory over all nodes, megabytes
	RequiredNodes []string `json:"require,omitempty"`   // nodes the user insists on, sorted
	ExcludedNodes []string `json:"exclude,omitempty"`   // nodes the user refuses, sorted
	Features      []string `json:"features,omitempty"`  // every one must be on every node, sorted
	// TypesToTry are all types of whole GPUs, in the order to try them for an ask of any
	// type. A Round sets it for what it places; nil: the fastest first.
	TypesToTry []string `json:"-"`
	// Limit is how long it is wanted at the longest: the job's time limit, set by
	// AskWithLimit; 0: without end. A node that is set aside before has no room.
	Limit time.Duration `json:"-"`
}

// Describe prints the ask as a person would: "8 a100 on one node".
func (a Ask) Describe() string {
	n := a.MinNodes
	if a.PerNode > 0 {
		n = max(n, a.GPUs.Count/a.PerNode)
	}
	switch {
	case n > 1:
		return fmt.Sprintf("%v over %d nodes", a.GPUs, n)
	case a.MaxNodes == 1 || a.PerNode > 0:
		return a.GPUs.String() + " on one node"
	}
	return a.GPUs.String()
}

// Resized returns the ask for another number of devices, with cores and memory
// in proportion. The per-node and per-gang wishes of an elastic job hold only
// while they can.
func (a Ask) Resized(devices int) Ask {
	if was := a.GPUs.Count; devices > 0 && devices != was && was > 0 {
		a.GPUs.Count = devices
		a.CPUs = PortionForNode(a.CPUs, devices, was)
		a.MemMB = PortionForNode(a.MemMB, devices, was)
		a.MinNodes = min(a.MinNodes, devices)
		if a.PerNode > 0 && (devices%a.PerNode != 0 || devices/a.PerNode < a.MinNodes) {
			a.PerNode = 0
		}
	}
	return a
}
