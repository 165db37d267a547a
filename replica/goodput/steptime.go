package goodput

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"fairbridge/policy"
)

// StepTable is how long steps take on GPUs of one type.
type StepTable struct {
	GPUType string // "": any
	Samples []StepSample
	// MostPerDevice takes the place of that of the Profile on this type, whose memory is larger
	// or smaller; 0: it does not.
	MostPerDevice int
	// LookedUp are single points of which the sizes need not be those of any sample; where one
	// is asked for, it is the answer.
	LookedUp []StepSample
}

// StepSample is a step that was measured.
type StepSample struct {
	// Placement has a digit for each node, the devices on it, in the rotation that is the
	// smallest; "": only the numbers are known.
	Placement string
	Nodes     int
	Devices   int
	PerDevice int     // samples on a device in one go
	Step      float64 // seconds of a step
	Sync      float64 // seconds of it that devices exchange gradients
}

// maxNodes is beyond how many nodes a step takes as long as on so many.
const maxNodes = 16

// shape is a number of devices over a number of nodes.
type shape struct{ nodes, devices int }

// stepTimes is a table made ready: curves over the batch of a device.
type stepTimes struct {
	gpuType  string
	most     int // StepTable.MostPerDevice
	placed   map[string]curve
	shapes   map[shape]curve
	sizes    map[int][]int // numbers of devices that were measured, by nodes, ascending
	nodes    []int         // keys of sizes, ascending
	lookedUp map[lookup]stepCost
}

type lookup struct {
	shape
	perDevice int
}

// stepCost is the seconds of a step, and of the exchange in it.
type stepCost struct{ step, sync float64 }

func newStepTimes(t *StepTable) (*stepTimes, error) {
	s := &stepTimes{gpuType: t.GPUType, most: t.MostPerDevice, placed: map[string]curve{}, shapes: map[shape]curve{}, sizes: map[int][]int{}, lookedUp: map[lookup]stepCost{}}
	for _, p := range t.Samples {
		if !(p.Step > 0) || !(p.Sync >= 0) || math.IsInf(p.Step, 0) || p.Sync > p.Step || p.PerDevice <= 0 || p.Nodes <= 0 || p.Devices < p.Nodes {
			return nil, fmt.Errorf("a step of %g s, %g of them to exchange, with %d samples on each of %d devices over %d nodes", p.Step, p.Sync, p.PerDevice, p.Devices, p.Nodes)
		}
		if p.Placement != "" {
			s.placed[p.Placement] = append(s.placed[p.Placement], knot{float64(p.PerDevice), stepCost{p.Step, p.Sync}, 1})
		}
		s.shapes[shape{p.Nodes, p.Devices}] = append(s.shapes[shape{p.Nodes, p.Devices}], knot{float64(p.PerDevice), stepCost{p.Step, p.Sync}, 1})
	}
	if len(s.shapes) == 0 {
		return nil, errors.New("no step was measured")
	}
	for k, c := range s.placed {
		s.placed[k] = c.merged()
	}
	for k, c := range s.shapes {
		s.shapes[k] = c.merged()
		s.sizes[k.nodes] = append(s.sizes[k.nodes], k.devices)
	}
	for n := range s.sizes {
		slices.Sort(s.sizes[n])
		s.nodes = append(s.nodes, n)
	}
	slices.Sort(s.nodes)
	for _, p := range t.LookedUp {
		s.lookedUp[lookup{shape{p.Nodes, p.Devices}, p.PerDevice}] = stepCost{p.Step, p.Sync}
	}
	return s, nil
}

// cost returns the time of a step with a batch on each device.
func (s *stepTimes) cost(p placement, perDevice int) stepCost {
	if c, ok := s.placed[p.digits]; ok {
		return c.at(float64(perDevice))
	}
	if c, ok := s.lookedUp[lookup{p.shape, perDevice}]; ok {
		return c
	}
	return s.interpolate(p.shape, float64(perDevice))
}

// placement is the devices on each node, without the nodes' names.
type placement struct {
	shape
	digits string // as StepSample.Placement
}

// newPlacement counts the devices on each node, most first: so the policies of Pollux'
// simulator that fill the emptiest node first have listed them.
func newPlacement(on policy.Alloc) placement {
	var counts []int
	for i, s := range on {
		if i > 0 && on[i-1].Node == s.Node {
			counts[len(counts)-1] += s.Count
			continue
		}
		counts = append(counts, s.Count)
	}
	slices.SortFunc(counts, func(a, b int) int { return cmp.Compare(b, a) })
	return placementOf(counts)
}

// packed is the placement of devices on full nodes, as many of them as can be.
func packed(devices, perNode int) placement {
	var counts []int
	for ; devices > 0; devices -= perNode {
		counts = append(counts, min(devices, perNode))
	}
	return placementOf(counts)
}

func placementOf(counts []int) placement {
	p := placement{shape: shape{nodes: min(len(counts), maxNodes)}}
	var best []int
	for i := range counts {
		p.devices += counts[i]
		turned := slices.Concat(counts[i:], counts[:i])
		if best == nil || slices.Compare(turned, best) < 0 {
			best = turned
		}
	}
	var digits strings.Builder
	for _, n := range best {
		digits.WriteString(strconv.Itoa(n))
		if n > 9 {
			digits.WriteByte('.') // no table has such a node, and 1,11 is not 11,1
		}
	}
	p.digits = digits.String()
	return p
}

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

// onOtherTypes is the fits, and for each other type of the cluster the first of them: as much
// slower or faster as one device of that type is.
func (r *Run) onOtherTypes() []policy.StepTime {
	all := r.seen.fits
	for _, typ := range r.types {
		if !hasFit(r.seen.fits, typ) {
			all = append(all[:len(all):len(all)], r.job.asFastOn(r.seen.fits[0], typ))
		}
	}
	return all
}

// asFastOn is what was fitted on one type, for another.
func (a *Application) asFastOn(fit policy.StepTime, typ string) policy.StepTime {
	slower := a.singleSpeed(fit.Type) / a.singleSpeed(typ)
	for _, seconds := range []*float64{&fit.GradAlpha, &fit.GradBeta, &fit.LocalAlpha, &fit.LocalBeta, &fit.NetAlpha, &fit.NetBeta} {
		*seconds *= slower
	}
	fit.Type = typ
	return fit
}

// singleSpeed is how many samples a second one device of a type does where it does the most in
// one go, as Sia's simulator profiles them.
func (a *Application) singleSpeed(typ string) float64 {
	t := a.tableOf(typ)
	samples, seconds := 0.0, 0.0
	for _, k := range t.placed[packed(1, 1).digits] {
		samples, seconds = max(samples, k.perDevice), max(seconds, k.cost.step)
	}
	if seconds == 0 { // one device was not measured
		samples = float64(a.onType(typ).MostPerDevice)
		seconds = t.cost(packed(1, 1), a.onType(typ).MostPerDevice).step
	}
	return samples / seconds
}

func hasFit(fits []policy.StepTime, typ string) bool {
	return slices.ContainsFunc(fits, func(f policy.StepTime) bool { return f.Type == typ })
}
