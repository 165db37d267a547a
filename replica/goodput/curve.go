package goodput

import (
	"cmp"
	"slices"
)

// curve is the time of a step over the batch of a device, ascending.
type curve []knot

type knot struct {
	perDevice float64
	cost      stepCost
	count     float64 // how many measurements it is the mean of
}

// merged sorts a curve and replaces measurements of one batch by their mean.
func (c curve) merged() curve {
	slices.SortStableFunc(c, func(a, b knot) int { return cmp.Compare(a.perDevice, b.perDevice) })
	out := c[:0:0]
	for _, k := range c {
		if n := len(out); n > 0 && out[n-1].perDevice == k.perDevice {
			o := &out[n-1]
			o.cost.step = (o.cost.step*o.count + k.cost.step) / (o.count + 1)
			o.cost.sync = (o.cost.sync*o.count + k.cost.sync) / (o.count + 1)
			o.count++
			continue
		}
		out = append(out, k)
	}
	return out
}

// at is linear between knots, and beyond the last as it was before it, unless times would
// fall; below the first a step takes no less than there.
func (c curve) at(perDevice float64) stepCost {
	n := len(c)
	if n == 1 || perDevice <= c[0].perDevice {
		return c[0].cost
	}
	i := 1
	for i < n-1 && c[i].perDevice < perDevice { // a knot belongs to the segment that ends there
		i++
	}
	a, b := &c[i-1], &c[i]
	slope := func(x, y float64) float64 { return (y - x) / (b.perDevice - a.perDevice) }
	if perDevice > b.perDevice {
		more := perDevice - b.perDevice
		return stepCost{b.cost.step + max(slope(a.cost.step, b.cost.step), 0)*more, b.cost.sync}
	}
	return stepCost{
		slope(a.cost.step, b.cost.step)*(perDevice-a.perDevice) + a.cost.step,
		slope(a.cost.sync, b.cost.sync)*(perDevice-a.perDevice) + a.cost.sync,
	}
}

// interpolate is the time of a step on numbers of nodes and devices that were not measured:
// linear in the nodes, at as many devices on each node, and for each number of nodes linear
// in the devices; beyond what was measured it is that of the last. Every answer is a mean of
// measured times with weights that sum to 1, so it is finite and positive. Pollux' simulator
// has a mesh of tetrahedra instead, whose answers hang on how a library orders its points.
func (s *stepTimes) interpolate(at shape, perDevice float64) stepCost {
	i, known := slices.BinarySearch(s.nodes, at.nodes)
	switch {
	case known, i == 0:
		return s.onNodes(s.nodes[min(i, len(s.nodes)-1)], at, perDevice)
	case i == len(s.nodes):
		return s.onNodes(s.nodes[i-1], at, perDevice)
	}
	lo, hi := s.nodes[i-1], s.nodes[i]
	part := float64(at.nodes-lo) / float64(hi-lo)
	return mean(s.onNodes(lo, at, perDevice), s.onNodes(hi, at, perDevice), part)
}

// onNodes is the time of a step on a measured number of nodes with as many devices on each.
func (s *stepTimes) onNodes(nodes int, at shape, perDevice float64) stepCost {
	sizes := s.sizes[nodes]
	devices := float64(at.devices) * float64(nodes) / float64(at.nodes)
	i := 0
	for i < len(sizes)-1 && float64(sizes[i]) < devices {
		i++
	}
	hi := s.shapes[shape{nodes, sizes[i]}].at(perDevice)
	if i == 0 || float64(sizes[i]) <= devices {
		return hi
	}
	lo := s.shapes[shape{nodes, sizes[i-1]}].at(perDevice)
	return mean(lo, hi, (devices-float64(sizes[i-1]))/float64(sizes[i]-sizes[i-1]))
}

func mean(a, b stepCost, part float64) stepCost {
	return stepCost{a.step + (b.step-a.step)*part, a.sync + (b.sync-a.sync)*part}
}
