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
func (Dominant) Costs(r *engine.Round) [][]float64 {
	c := newCapacity(r.Snapshot)
	width := 2 + len(c.types)
	flat := make([]float64, width*len(r.Entries))
	costs := make([][]float64, len(r.Entries))
	for i, e := range r.Entries {
		costs[i] = flat[i*width : (i+1)*width : (i+1)*width]
		c.addCost(costs[i], e)
	}
	return costs
}

// capacity is what the nodes that are up have.
type capacity struct {
	cpus, mem, whole float64
	types            []gpuTypeCapacity
}

type gpuTypeCapacity struct {
	name  string
	count float64
	whole bool
}

func newCapacity(s *policy.Snapshot) *capacity {
	c := &capacity{}
	for i := range s.Nodes {
		n := &s.Nodes[i]
		if n.DownReason != "" {
			continue
		}
		c.cpus += float64(n.CPUs)
		c.mem += float64(n.MemMB)
		for _, d := range n.GPUs {
			c.add(d)
		}
	}
	return c
}

func (c *capacity) add(d policy.NodeDevices) {
	i, ok := c.find(d.Type)
	whole := d.PartPercent == 0 || d.PartPercent == 100
	if !ok {
		c.types = slices.Insert(c.types, i, gpuTypeCapacity{name: d.Type, whole: whole})
	}
	healthy := float64(max(d.Count-d.SickCount, 0))
	c.types[i].count += healthy
	if whole {
		c.whole += healthy
	}
}

func (c *capacity) find(typ string) (int, bool) {
	return slices.BinarySearchFunc(c.types, typ, func(k gpuTypeCapacity, typ string) int { return cmp.Compare(k.name, typ) })
}

func (c *capacity) addCost(cost []float64, e *engine.Entry) {
	cost[0] = fraction(float64(e.Ask.CPUs), c.cpus)
	cost[1] = fraction(float64(e.Ask.MemMB), c.mem)
	devices := float64(e.DeviceCount())
	if i, ok := c.find(e.Ask.GPUs.Type); ok {
		cost[2+i] = fraction(devices, c.types[i].count)
		return
	}
	for i, k := range c.types {
		if k.whole && e.Ask.GPUs.Type == "" {
			cost[2+i] = fraction(devices, c.whole)
		}
	}
}

// fraction returns part of whole; something of nothing counts as all of it.
func fraction(part, whole float64) float64 {
	switch {
	case part <= 0:
		return 0
	case whole <= 0:
		return 1
	}
	return part / whole
}
