package pool

import (
	"slices"

	"fairbridge/policy"
)

// AllowsAlloc reports whether the devices are a lawful place for the ask, of its number,
// types and nodes. It does not look at whether they are free.
func AllowsAlloc(p *Pool, on policy.Alloc, partition string, a policy.Ask) bool {
	nodes := on.Nodes()
	if on.Count() != a.GPUs.Count || len(nodes) < a.MinNodes || a.MaxNodes > 0 && len(nodes) > a.MaxNodes {
		return false
	}
	if slices.ContainsFunc(a.RequiredNodes, func(n string) bool { return !slices.Contains(nodes, n) }) {
		return false
	}
	types := []string{a.GPUs.Type}
	if a.GPUs.Type == "" {
		types = p.WholeGPUTypes()
	}
	return !slices.ContainsFunc(on, func(s policy.Slot) bool {
		return !slices.Contains(types, s.Type) || a.PerNode > 0 && s.Count != a.PerNode || !p.AllowsSlot(s, partition, a)
	})
}
