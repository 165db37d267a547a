package policy

import (
	"slices"
)

// Node is a machine with GPUs.
type Node struct {
	Name       string        `json:"name"`
	LeafSwitch string        `json:"leaf,omitempty"`     // its lowest switch; "": unknown
	Switches   []string      `json:"switches,omitempty"` // those above its lowest switch, upwards; nil: none, or unknown
	Partitions []string      `json:"partitions"`         // sorted
	Features   []string      `json:"features,omitempty"`
	DownReason string        `json:"down,omitempty"`    // why nothing new may start there; "" when something may
	CPUs       int           `json:"cpus"`              // cores for the jobs of the snapshot (those of other jobs are taken off)
	MemMB      int64         `json:"mem_mb"`            // memory likewise
	GPUs       []NodeDevices `json:"gpus"`              // by type, sorted
	Windows    []Window      `json:"windows,omitempty"` // times in which it is set aside, by From
	OtherUses  []OtherUse    `json:"others,omitempty"`  // what jobs outside the snapshot give back; taken off CPUs and MemMB
}

// NodeDevices are the GPUs of one type on one node.
type NodeDevices struct {
	Type        string `json:"type"`
	Count       int    `json:"count"`
	PartPercent int    `json:"part,omitempty"`   // percent of a whole GPU each is; 0 and 100: whole
	SickCount   int    `json:"sick,omitempty"`   // devices measured as faulty, lost or otherwise not to be given out
	MemMB       int64  `json:"mem_mb,omitempty"` // memory of each, megabytes; 0: not known
	// SharesPerGPU is of how many shares each consists, of which Slurm gives some to each of several jobs
	// (shards); 0: none, or not known.
	SharesPerGPU int `json:"shares,omitempty"`
	// OnlyWhole says that each is given to one job only; false where nothing is known of that, as in simulations.
	OnlyWhole bool `json:"whole,omitempty"`
	// Domains are devices that are linked more closely with each other than with the rest (a PCIe
	// switch, an NVLink group), smallest sets first; nil: none, or not known.
	Domains     []DeviceSet   `json:"domains,omitempty"`
	Utilisation OptionalValue `json:"busy,omitzero"` // mean utilisation measured, 0..1
}

// IsWholeGPU reports whether each is a whole GPU.
func (d NodeDevices) IsWholeGPU() bool { return d.PartPercent == 0 || d.PartPercent == 100 }

// InPartition reports whether the node belongs to the partition.
func (n *Node) InPartition(partition string) bool {
	return slices.Contains(n.Partitions, partition)
}

// WholeGPUs returns the node's healthy GPUs in whole GPUs.
func (n *Node) WholeGPUs() float64 {
	w := 0.0
	for _, d := range n.GPUs {
		w += GPUs{Count: d.Count - d.SickCount, PartPercent: d.PartPercent}.WholeGPUs()
	}
	return w
}
