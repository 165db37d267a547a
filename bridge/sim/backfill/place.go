package backfill

import (
	"cmp"
	"slices"

	"fairbridge/bridge/sim/inventory"
)

// earliestPlace returns the earliest place and its moment; never when there is none
// within the window.
func (p *Plan) earliestPlace(k *taskClass) (at int64, slots inventory.Slots) {
	switch {
	case k.TotalGPUs > 0:
		return p.placeSpreadGPUs(k)
	case k.MinNodes == 1 && k.NamedNodeCount == 0:
		return p.placeOnNode(k)
	}
	return p.placeGang(k)
}

// placeOnNode finds a single node.
func (p *Plan) placeOnNode(k *taskClass) (int64, inventory.Slots) {
	best := int64(neverNanos)
	for _, n := range k.nodes {
		p.startRangeBuffer = p.appendStartRanges(p.startRangeBuffer[:0], k, n, 1)
		for _, s := range p.startRangeBuffer {
			best = min(best, s.first)
		}
		if best == k.notBeforeNanos {
			break
		}
	}
	if best > p.horizon {
		return neverNanos, nil
	}
	return best, k.FindSlots(k.nodes, func(n *inventory.Node) inventory.FreeResources {
		return p.nodeTimelines[n.Index].leastFree(best, best+k.lengthNanos)
	})
}

// appendStartRanges appends the moments at which the class's share of one node can start there;
// at most so many stretches for each GPU type.
func (p *Plan) appendStartRanges(out []startRange, k *taskClass, n *inventory.Node, most int) []startRange {
	t := p.nodeTimelines[n.Index]
	want := requirement{typeIndex: -1, gpuCount: k.GPUsPerNode, cpuCount: k.CPUsPerNode, memMB: k.MemMBPerNode, isExclusive: k.Exclusive, lengthNanos: k.lengthNanos}
	if k.Exclusive {
		want.cpuCount = n.CPUs
	}
	if want.gpuCount <= 0 {
		return t.appendStartRanges(out, &want, k.notBeforeNanos, most)
	}
	for i, g := range n.GPUs {
		if (k.GPUType == "" || k.GPUType == g.Type) && g.Count >= want.gpuCount {
			want.typeIndex = i
			out = t.appendStartRanges(out, &want, k.notBeforeNanos, most)
		}
	}
	return out
}

// nodeChange is a moment at which a node becomes, or ceases to be, a place.
type nodeChange struct {
	at        int64
	nodeIndex int // index among the class's nodes
	delta     int
}

// placeGang finds the moment at which enough nodes are free together, those it
// must have among them.
func (p *Plan) placeGang(k *taskClass) (int64, inventory.Slots) {
	turns := p.nodeChangeBuffer[:0]
	for i, n := range k.nodes {
		p.startRangeBuffer = p.appendStartRanges(p.startRangeBuffer[:0], k, n, -1)
		for _, s := range p.startRangeBuffer {
			turns = append(turns, nodeChange{s.first, i, 1})
			if s.last < neverNanos {
				turns = append(turns, nodeChange{s.last + 1, i, -1})
			}
		}
	}
	p.nodeChangeBuffer = turns
	slices.SortFunc(turns, func(a, b nodeChange) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.delta, b.delta)) })
	open, count, must := make([]int, len(k.nodes)), 0, 0
	for i, t := range turns {
		open[t.nodeIndex] += t.delta // several of its GPU types may be free
		if t.delta > 0 && open[t.nodeIndex] == 1 || t.delta < 0 && open[t.nodeIndex] == 0 {
			count += t.delta
			if t.nodeIndex < k.NamedNodeCount {
				must += t.delta
			}
		}
		if i+1 < len(turns) && turns[i+1].at == t.at || count < k.MinNodes || must < k.NamedNodeCount {
			continue
		}
		if t.at > p.horizon {
			break
		}
		return t.at, k.FindSlots(k.nodes, func(n *inventory.Node) inventory.FreeResources {
			return p.nodeTimelines[n.Index].leastFree(t.at, t.at+k.lengthNanos)
		})
	}
	return neverNanos, nil
}

// placeSpreadGPUs finds room for GPUs that may be spread. It tries every moment at
// which as many are free at all.
func (p *Plan) placeSpreadGPUs(k *taskClass) (int64, inventory.Slots) {
	p.startRangeBuffer = p.clusterTimeline().appendStartRanges(p.startRangeBuffer[:0], &requirement{gpuCount: k.TotalGPUs, lengthNanos: k.lengthNanos}, k.notBeforeNanos, -1)
	i, _ := slices.BinarySearch(p.releaseTimes, k.notBeforeNanos)
	for _, s := range p.startRangeBuffer {
		for ; i < len(p.releaseTimes) && p.releaseTimes[i] <= min(s.last, p.horizon); i++ {
			at := p.releaseTimes[i]
			if at < s.first {
				continue
			}
			if slots := k.FindSlots(k.nodes, func(n *inventory.Node) inventory.FreeResources {
				return p.nodeTimelines[n.Index].leastFree(at, at+k.lengthNanos)
			}); slots != nil {
				return at, slots
			}
		}
	}
	return neverNanos, nil
}

// clusterTimeline returns the timeline of the GPUs of all nodes together.
func (p *Plan) clusterTimeline() timeline {
	if len(p.totalTimeline) > 0 {
		return p.totalTimeline
	}
	type step struct { // the cluster's free GPUs change
		at int64
		by int
	}
	var steps []step
	for _, t := range p.nodeTimelines {
		had := 0
		for i := range t {
			n := 0
			for _, g := range t[i].GPUsByType {
				n += g
			}
			steps = append(steps, step{t[i].at, n - had})
			had = n
		}
	}
	slices.SortFunc(steps, func(a, b step) int { return cmp.Compare(a.at, b.at) })
	r := inventory.FreeResources{}
	for i, s := range steps {
		r.GPUsByType[0] += s.by
		if i+1 == len(steps) || steps[i+1].at > s.at {
			p.totalTimeline = append(p.totalTimeline, timelinePoint{s.at, r})
		}
	}
	return p.totalTimeline
}
