package capacity

import (
	"fairbridge/policy"
)

// The least a GPU needs on its node to be of any use.
const (
	leastCPUs  = 1
	leastMemMB = 1024
)

// heldResources is what the active jobs of a snapshot hold, by node.
type heldResources struct {
	gpus map[policy.Slot]int // Count is zero in the key
	cpus map[string]float64
	mem  map[string]float64
}

// heldByJobs adds up what active jobs hold. A job's cores and memory are split
// over its nodes by devices.
func heldByJobs(s *policy.Snapshot) heldResources {
	f := heldResources{map[policy.Slot]int{}, map[string]float64{}, map[string]float64{}}
	for i := range s.Jobs {
		j := &s.Jobs[i]
		if !j.HoldsGPUs() {
			continue
		}
		all := float64(max(j.On.Count(), 1))
		for _, on := range j.On {
			f.gpus[policy.Slot{Node: on.Node, Type: on.Type}] += on.Count
			f.cpus[on.Node] += float64(j.Ask.CPUs) * float64(on.Count) / all
			f.mem[on.Node] += float64(j.Ask.MemMB) * float64(on.Count) / all
		}
	}
	return f
}

// stateOf says how the devices of one type on a node stand.
func (f heldResources) stateOf(n *policy.Node, d policy.Devices) gpuState {
	held := min(f.gpus[policy.Slot{Node: n.Name, Type: d.Type}], d.Count)
	s := gpuState{gpus: float64(d.Count), held: float64(held)}
	idle := max(d.Count-d.SickCount-held, 0)
	if n.DownReason != "" {
		idle = 0
	}
	s.away = float64(d.Count - held - idle)
	usable := min(int((float64(n.CPUs)-f.cpus[n.Name])/leastCPUs), int((float64(n.MemMB)-f.mem[n.Name])/leastMemMB))
	s.stranded = float64(idle - min(idle, max(usable, 0)))
	s.idle = float64(idle)
	return s
}
