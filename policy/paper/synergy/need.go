package synergy

import (
	"cmp"
	"math"
	"slices"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/solve/bundles"
)

// saturatedPart is the part of its greatest speed from which a job counts as having all it needs.
const saturatedPart = .99

// mostSteps bounds how many steps of one core a GPU are looked at.
const mostSteps = 64

// shape is what nodes have in common that give the same share with a GPU.
type shape struct {
	gpus int
	all  policy.Amounts
}

// shapeOf returns the shape of a node.
func shapeOf(n *policy.Node) shape {
	s := shape{all: policy.Amounts{CPUs: n.CPUs, MemMB: n.MemMB}}
	for _, d := range n.GPUs {
		s.gpus += d.Count
	}
	return s
}

// need is what a job makes of cores and memory on nodes of a shape.
type need struct {
	share   policy.Amounts // by its GPUs, or what it asks where its owner accepts no less
	demand  policy.Amounts // the least with which it is as fast as it can be
	clipped policy.Amounts // no more than its share of either
	options []option       // with which it is no slower than with its share; the least first
}

// option is a choice of amounts and what it makes of the job's speed, in shares.
type option struct {
	policy.Amounts
	speed float64
}

// floor is the least with which the job is no slower than with its share.
func (n *need) floor() policy.Amounts { return n.options[0].Amounts }

// isTunable reports whether the job may be given other amounts than it asks, as far as it is concerned.
func isTunable(e *engine.Entry) bool {
	return e.CPUScaling != nil && len(e.CPUScaling.Points) > 0 && e.UnplaceableReason == "" && (e.Ask.CPUs > 0 || e.Ask.MemMB > 0)
}

// newNeed works out what the job needs on nodes of a shape; nil: it gets what it asks there.
func newNeed(e *engine.Entry, at shape) *need {
	if !isTunable(e) || at.gpus == 0 {
		return nil
	}
	gpus := e.WantedDeviceCount
	ask, lowest := e.Ask.Resized(gpus).Amounts(), policy.Amounts{}
	if !e.CPUScaling.AcceptsLess {
		lowest = ask
	}
	n := &need{share: policy.Amounts{CPUs: at.all.CPUs * gpus / at.gpus, MemMB: at.all.MemMB * int64(gpus) / int64(at.gpus)}}
	if ask.CPUs > 0 && n.share.CPUs == 0 || ask.MemMB > 0 && n.share.MemMB == 0 {
		return nil
	}
	n.share = n.share.AskedOf(ask)
	n.share = policy.Amounts{CPUs: max(n.share.CPUs, lowest.CPUs), MemMB: max(n.share.MemMB, lowest.MemMB)}
	n.options = listOptions(e.CPUScaling, gpus, n.share, lowest, at)
	if len(n.options) == 0 {
		return nil
	}
	n.demand = n.findDemand(at)
	n.clipped = policy.Amounts{CPUs: min(n.demand.CPUs, n.share.CPUs), MemMB: min(n.demand.MemMB, n.share.MemMB)}
	if e.CPUScaling.SpeedWith(gpus, n.clipped) < e.CPUScaling.SpeedWith(gpus, n.share) {
		n.clipped = n.floor()
	}
	return n
}

// listOptions lists what the job may be given so that it is no slower than with its share: of those of
// the same speed the least, and none that is no faster than one with less; the least first.
func listOptions(known *policy.CPUScaling, gpus int, share, lowest policy.Amounts, at shape) []option {
	base := known.SpeedWith(gpus, share)
	if base <= 0 {
		return nil
	}
	var all []option
	for _, cpus := range listCores(known, gpus, share.CPUs, max(lowest.CPUs, min(share.CPUs, 1)), at.all.CPUs) {
		for _, memMB := range listMemory(known, gpus, share.MemMB, lowest.MemMB, at.all.MemMB) {
			a := policy.Amounts{CPUs: cpus, MemMB: memMB}
			if speed := known.SpeedWith(gpus, a) / base; speed >= 1 {
				all = append(all, option{a, speed})
			}
		}
	}
	slices.SortFunc(all, func(a, b option) int {
		return cmp.Or(cmp.Compare(part(a.Amounts, at), part(b.Amounts, at)), cmp.Compare(b.speed, a.speed), cmp.Compare(a.CPUs, b.CPUs))
	})
	var kept []option
	for _, o := range all {
		if !slices.ContainsFunc(kept, func(k option) bool { return k.speed >= o.speed && k.Fits(o.Amounts) }) {
			kept = append(kept, o)
		}
	}
	return kept
}

// part is what part of a node amounts are, cores and memory together.
func part(a policy.Amounts, at shape) float64 {
	return float64(a.CPUs)/float64(max(at.all.CPUs, 1)) + float64(a.MemMB)/float64(max(at.all.MemMB, 1))
}

// listCores lists numbers of cores to look at: those of the points and of the share, and one more with each
// GPU between them; 0 where the job asks for none.
func listCores(known *policy.CPUScaling, gpus, share, lowest, most int) []int {
	if share == 0 {
		return []int{0}
	}
	all := []int{share, lowest}
	widest := 0.
	for _, p := range known.Points {
		all, widest = append(all, int(math.Ceil(p.CPUs*float64(gpus)))), max(widest, p.CPUs)
	}
	for k := 1; k <= min(int(widest), mostSteps); k++ {
		all = append(all, k*gpus)
	}
	slices.Sort(all)
	return slices.DeleteFunc(slices.Compact(all), func(c int) bool { return c < lowest || c > most })
}

// listMemory lists amounts of memory to look at, likewise.
func listMemory(known *policy.CPUScaling, gpus int, share, lowest, most int64) []int64 {
	if share == 0 {
		return []int64{0}
	}
	all := []int64{share, lowest}
	for _, p := range known.Points {
		all = append(all, p.MemMB*int64(gpus))
	}
	slices.Sort(all)
	return slices.DeleteFunc(slices.Compact(all), func(m int64) bool { return m <= 0 || m < lowest || m > most })
}

// findDemand returns the least of the options with which the job is as fast as with any.
func (n *need) findDemand(at shape) policy.Amounts {
	fastest := 0.
	for _, o := range n.options {
		fastest = max(fastest, o.speed)
	}
	best := -1
	for i, o := range n.options {
		if o.speed >= saturatedPart*fastest && (best < 0 || part(o.Amounts, at) < part(n.options[best].Amounts, at)) {
			best = i
		}
	}
	return n.options[best].Amounts
}

// bundles are the options as an item of package bundles.
func (n *need) bundles() []bundles.Bundle {
	all := make([]bundles.Bundle, len(n.options))
	for i, o := range n.options {
		all[i] = bundles.Bundle{Amounts: [2]float64{float64(o.CPUs), float64(o.MemMB)}, Worth: o.speed}
	}
	return all
}
