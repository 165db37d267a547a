package policy

import (
	"cmp"
	"fmt"
	"slices"
)

// CPUScaling is what is known of how a job's speed depends on the cores and the memory beside
// each of its GPUs. nil: nothing; it is as fast with what it asks as it can be.
type CPUScaling struct {
	// Points are measured speeds, sorted by cores, then memory. Only their ratios matter.
	Points []CPUPoint `json:"points"`
	// AcceptsLess says that its owner accepts fewer cores and less memory than he asked, where the job
	// is no slower than with its share of them by GPUs.
	AcceptsLess bool `json:"less,omitempty"`
}

// CPUPoint is the speed with so many cores and so much memory for each GPU.
type CPUPoint struct {
	CPUs  float64 `json:"cpus"`
	MemMB int64   `json:"mem_mb"`
	Speed float64 `json:"speed"`
}

// Speed is the speed with so many cores and so much memory for each GPU, between the points in
// proportion: more of either makes it no slower. With fewer cores than any point has, it is slower in
// proportion; with less memory than any point of as few cores has, it cannot run: 0. Without points it is 0.
func (c *CPUScaling) Speed(cpus, memMB float64) float64 {
	lastCPUs, last := 0., 0.
	for from := 0; from < len(c.Points); {
		to := from + 1
		for to < len(c.Points) && c.Points[to].CPUs == c.Points[from].CPUs {
			to++
		}
		at, speed := c.Points[from].CPUs, max(last, speedByMemory(c.Points[from:to], memMB))
		if at >= cpus {
			if at == lastCPUs {
				return speed
			}
			return last + (speed-last)*(cpus-lastCPUs)/(at-lastCPUs)
		}
		lastCPUs, last, from = at, speed, to
	}
	return last
}

// speedByMemory is the speed with so much memory by points of the same cores.
func speedByMemory(points []CPUPoint, memMB float64) float64 {
	best := 0.
	for i, p := range points {
		at := float64(p.MemMB)
		if at <= memMB {
			best = max(best, p.Speed)
			continue
		}
		if i > 0 {
			was := float64(points[i-1].MemMB)
			best = max(best, best+(p.Speed-best)*(memMB-was)/(at-was))
		}
		break
	}
	return best
}

// SpeedWith is the speed on so many GPUs with amounts for all of them together; what is 0 there is as
// much as the job can use.
func (c *CPUScaling) SpeedWith(gpus int, a Amounts) float64 {
	cpus, memMB := float64(a.CPUs), float64(a.MemMB)
	for _, p := range c.Points {
		if a.CPUs == 0 {
			cpus = max(cpus, p.CPUs*float64(gpus))
		}
		if a.MemMB == 0 {
			memMB = max(memMB, float64(p.MemMB)*float64(gpus))
		}
	}
	return c.Speed(cpus/float64(gpus), memMB/float64(gpus))
}

// IsNoSlower reports whether a job on so many GPUs is as fast with what it is given as with a share, but for
// what adding up makes.
func (c *CPUScaling) IsNoSlower(gpus int, given, share Amounts) bool {
	return c.SpeedWith(gpus, given) >= c.SpeedWith(gpus, share.AskedOf(given))*(1-1e-9)
}

// clone returns a copy that shares nothing.
func (c *CPUScaling) clone() *CPUScaling {
	if c == nil {
		return nil
	}
	out := *c
	out.Points = slices.Clone(c.Points)
	return &out
}

// Amounts are cores and memory of a job over all its nodes, on each of which it has them in
// proportion to its GPUs there. 0: what it asks.
type Amounts struct {
	CPUs  int   `json:"cpus,omitempty"`
	MemMB int64 `json:"mem_mb,omitempty"`
}

// String prints "12 cores and 250000 MB".
func (a Amounts) String() string {
	switch {
	case a.MemMB == 0:
		return FormatCount(a.CPUs, "core")
	case a.CPUs == 0:
		return fmt.Sprintf("%d MB", a.MemMB)
	}
	return fmt.Sprintf("%s and %d MB", FormatCount(a.CPUs, "core"), a.MemMB)
}

// Fits reports whether they are within others in both.
func (a Amounts) Fits(within Amounts) bool { return a.CPUs <= within.CPUs && a.MemMB <= within.MemMB }

// AskedOf returns the amounts, but 0 of what is not asked for.
func (a Amounts) AskedOf(ask Amounts) Amounts {
	if ask.CPUs == 0 {
		a.CPUs = 0
	}
	if ask.MemMB == 0 {
		a.MemMB = 0
	}
	return a
}

// Amounts are the cores and the memory that are asked.
func (a Ask) Amounts() Amounts { return Amounts{a.CPUs, a.MemMB} }

// WithAmounts returns the ask with other cores and memory; of what is 0 it keeps its own.
func (a Ask) WithAmounts(given Amounts) Ask {
	a.CPUs, a.MemMB = cmp.Or(given.CPUs, a.CPUs), cmp.Or(given.MemMB, a.MemMB)
	return a
}

// HeldAmounts are the cores and the memory that a running job holds: those it was given, else those it asks.
func (j *Job) HeldAmounts() Amounts {
	return Amounts{cmp.Or(j.Given.CPUs, j.Ask.CPUs), cmp.Or(j.Given.MemMB, j.Ask.MemMB)}
}

// ShareByGPUs is the part of the node's cores and memory that comes with so many of its GPUs, rounded
// down; of a node without GPUs nothing.
func (n *Node) ShareByGPUs(gpus int) Amounts {
	all := 0
	for _, d := range n.GPUs {
		all += d.Count
	}
	if all == 0 {
		return Amounts{}
	}
	return Amounts{n.CPUs * gpus / all, n.MemMB * int64(gpus) / int64(all)}
}
