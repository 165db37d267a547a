package gate

import (
	"slices"

	"fairbridge/policy"
)

// deviceKey is the devices of one type on one node.
type deviceKey struct{ Node, GPUType string }

// deviceCounts is how many devices would be free.
type deviceCounts map[deviceKey]int

// heldDevices are the devices that are taken off already, of those that are named one by one.
type heldDevices map[heldDevice]bool

type heldDevice struct {
	deviceKey
	index int
}

// countHealthy returns the healthy devices of the nodes, those on which nothing can start included or not.
func countHealthy(s *policy.Snapshot, withDown bool) deviceCounts {
	r := deviceCounts{}
	for i := range s.Nodes {
		n := &s.Nodes[i]
		for _, d := range n.GPUs {
			if withDown || n.DownReason == "" {
				r[deviceKey{n.Name, d.Type}] += d.Count - d.SickCount
			}
		}
	}
	return r
}

// countHealthyOfType returns the healthy devices of a type on a node.
func countHealthyOfType(n *policy.Node, gpuType string) int {
	c := 0
	for _, d := range n.GPUs {
		if d.Type == gpuType {
			c += d.Count - d.SickCount
		}
	}
	return c
}

// Subtract takes the devices off (sign 1), or adds them (sign -1).
func (r deviceCounts) Subtract(a policy.Alloc, sign int) {
	for _, s := range a {
		r[deviceKey{s.Node, s.Type}] -= sign * s.Count
	}
}

// SubtractHeld takes off what a job holds. A device that is named is taken off once, however many jobs share it.
func (r deviceCounts) SubtractHeld(on policy.Alloc, seen heldDevices) {
	for _, s := range on {
		at := deviceKey{s.Node, s.Type}
		if s.Devices == 0 {
			r[at] -= s.Count
			continue
		}
		for _, i := range s.Devices.Indexes() {
			if x := (heldDevice{at, i}); !seen[x] {
				seen[x] = true
				r[at]--
			}
		}
	}
}

// HasRoomFor reports whether all of the devices, and at least one, are free.
func (r deviceCounts) HasRoomFor(a policy.Alloc) bool {
	want := deviceCounts{}
	want.Subtract(a, -1)
	for k, n := range want {
		if r[k] < n {
			return false
		}
	}
	return len(a) > 0
}

// freedBy returns what becomes free when the jobs are stopped: no device that another job has a part of.
func freedBy(s *policy.Snapshot, victims []policy.JobID) policy.Alloc {
	var freed policy.Alloc
	seen := heldDevices{}
	for i := range s.Jobs {
		if j := &s.Jobs[i]; !slices.Contains(victims, j.ID) {
			deviceCounts{}.SubtractHeld(j.On, seen)
		}
	}
	for _, id := range victims {
		for _, slot := range s.Job(id).On {
			if slot.Devices != 0 {
				left := deviceCounts{}
				left.SubtractHeld(policy.Alloc{slot}, seen)
				slot.Count = -left[deviceKey{slot.Node, slot.Type}]
			}
			freed = append(freed, slot)
		}
	}
	return freed
}

// coresAndMemoryOnNode is what a job with the devices uses of a node's cores and memory.
func coresAndMemoryOnNode(ask *policy.Ask, on policy.Alloc, node string) (cpus, mem float64) {
	here := 0
	for _, s := range on {
		if s.Node == node {
			here += s.Count
		}
	}
	if here == 0 {
		return 0, 0
	}
	part := float64(here) / float64(on.Count())
	return float64(ask.CPUs) * part, float64(ask.MemMB) * part
}
