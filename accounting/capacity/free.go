package capacity

import (
	"fairbridge/policy"
)

// The least a GPU needs on its node to be of any use.
const (
	minCPUsPerGPU  = 1
	minMemMBPerGPU = 1024
)

// heldResources is what the active jobs of a snapshot hold, by node.
type heldResources struct {
	gpusBySlot  map[policy.Slot]int // Count is zero in the key
	cpusByNode  map[string]float64
	memMBByNode map[string]float64
}

// sumHeldResources adds up what active jobs hold. A job's cores and memory are split
// over its nodes by devices.
func sumHeldResources(s *policy.Snapshot) heldResources {
	f := heldResources{map[policy.Slot]int{}, map[string]float64{}, map[string]float64{}}
	for i := range s.Jobs {
		j := &s.Jobs[i]
		if !j.HoldsGPUs() {
			continue
		}
		all := float64(max(j.On.Count(), 1))
		for _, on := range j.On {
			f.gpusBySlot[policy.Slot{Node: on.Node, Type: on.Type}] += on.Count
			f.cpusByNode[on.Node] += float64(j.Ask.CPUs) * float64(on.Count) / all
			f.memMBByNode[on.Node] += float64(j.Ask.MemMB) * float64(on.Count) / all
		}
	}
	return f
}

// countGPUs says how the devices of one type on a node stand.
func (f heldResources) countGPUs(n *policy.Node, d policy.NodeDevices) gpuCounts {
	held := min(f.gpusBySlot[policy.Slot{Node: n.Name, Type: d.Type}], d.Count)
	s := gpuCounts{total: float64(d.Count), held: float64(held)}
	idle := max(d.Count-d.SickCount-held, 0)
	if n.DownReason != "" {
		idle = 0
	}
	s.unavailable = float64(d.Count - held - idle)
	usable := min(int((float64(n.CPUs)-f.cpusByNode[n.Name])/minCPUsPerGPU), int((float64(n.MemMB)-f.memMBByNode[n.Name])/minMemMBPerGPU))
	s.stranded = float64(idle - min(idle, max(usable, 0)))
	s.idle = float64(idle)
	return s
}
