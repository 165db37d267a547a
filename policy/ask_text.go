package policy

import (
	"fmt"
)

// Describe prints the ask as a person would: "8 a100 on one node".
func (a Ask) Describe() string {
	n := a.Nodes
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
		a.CPUs = Portion(a.CPUs, devices, was)
		a.MemMB = Portion(a.MemMB, devices, was)
		a.Nodes = min(a.Nodes, devices)
		if a.PerNode > 0 && (devices%a.PerNode != 0 || devices/a.PerNode < a.Nodes) {
			a.PerNode = 0
		}
	}
	return a
}
