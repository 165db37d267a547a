package share

import (
	"cmp"
	"slices"

	"fairbridge/policy"
	"fairbridge/policy/engine"
)

// Costs returns, per entry, what one task holds or asks for as a fraction of
// the cluster: cores, memory, then the GPUs of every type in the order of
// their names. A job that takes any whole GPU is charged on every whole type in
// proportion, wherever it runs: where it was put is not its doing, and its cost
// must not change as it starts.
func (DominantFairness) Costs(r *engine.Round) [][]float64 {
	c := newClusterCapacity(r.Snapshot)
	width := 2 + len(c.types)
	flat := make([]float64, width*len(r.Entries))
	costs := make([][]float64, len(r.Entries))
	for i, e := range r.Entries {
		costs[i] = flat[i*width : (i+1)*width : (i+1)*width]
		c.setCost(costs[i], e)
	}
	return costs
}

// clusterCapacity is what the nodes that are up have.
type clusterCapacity struct {
	cpus, memMB, wholeGPUs float64
	types                  []gpuTypeCapacity
}

type gpuTypeCapacity struct {
	name        string
	deviceCount float64
	isWholeGPU  bool
}

func newClusterCapacity(s *policy.Snapshot) *clusterCapacity {
	c := &clusterCapacity{}
	for i := range s.Nodes {
		n := &s.Nodes[i]
		if n.DownReason != "" {
			continue
		}
		c.cpus += float64(n.CPUs)
		c.memMB += float64(n.MemMB)
		for _, d := range n.GPUs {
			c.addDevices(d)
		}
	}
	return c
}

func (c *clusterCapacity) addDevices(d policy.NodeDevices) {
	i, ok := c.findType(d.Type)
	whole := d.PartPercent == 0 || d.PartPercent == 100
	if !ok {
		c.types = slices.Insert(c.types, i, gpuTypeCapacity{name: d.Type, isWholeGPU: whole})
	}
	healthy := float64(max(d.Count-d.SickCount, 0))
	c.types[i].deviceCount += healthy
	if whole {
		c.wholeGPUs += healthy
	}
}

func (c *clusterCapacity) findType(typ string) (int, bool) {
	return slices.BinarySearchFunc(c.types, typ, func(k gpuTypeCapacity, typ string) int { return cmp.Compare(k.name, typ) })
}

func (c *clusterCapacity) setCost(cost []float64, e *engine.Entry) {
	cost[0] = fractionOf(float64(e.Ask.CPUs), c.cpus)
	cost[1] = fractionOf(float64(e.Ask.MemMB), c.memMB)
	devices := float64(e.DeviceCount())
	if i, ok := c.findType(e.Ask.GPUs.Type); ok {
		cost[2+i] = fractionOf(devices, c.types[i].deviceCount)
		return
	}
	for i, k := range c.types {
		if k.isWholeGPU && e.Ask.GPUs.Type == "" {
			cost[2+i] = fractionOf(devices, c.wholeGPUs)
		}
	}
}

// fractionOf returns part of whole; something of nothing counts as all of it.
func fractionOf(part, whole float64) float64 {
	switch {
	case part <= 0:
		return 0
	case whole <= 0:
		return 1
	}
	return part / whole
}
