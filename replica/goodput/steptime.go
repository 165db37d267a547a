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
