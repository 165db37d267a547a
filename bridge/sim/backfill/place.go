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
	case k.Total > 0:
		return p.placeTotal(k)
	case k.Nodes == 1 && k.RequiredNodes == 0:
		return p.placeOne(k)
	}
	return p.placeGang(k)
}

// placeOne finds a single node.
func (p *Plan) placeOne(k *taskClass) (int64, inventory.Slots) {
	best, on := int64(never), (*inventory.Node)(nil)
	for _, n := range k.nodes {
		p.startRanges = p.appendStarts(p.startRanges[:0], k, n, 1)
		for _, s := range p.startRanges {
			if s.first < best {
				best, on = s.first, n
			}
		}
		if best == k.notBefore {
			break
		}
	}
	if best > p.last {
		return never, nil
	}
	s, _ := k.SlotOn(on, p.nodes[on.Index].leastRoom(best, best+k.length), k.PerNode)
	return best, inventory.Slots{s}
}

// appendStarts appends the moments at which the class's share of one node can start there;
// at most so many stretches for each GPU type.
func (p *Plan) appendStarts(out []startRange, k *taskClass, n *inventory.Node, most int) []startRange {
	t := p.nodes[n.Index]
	want := requirement{typ: -1, gpus: k.PerNode, cpus: k.CPUs, mem: k.MemMB, all: k.All, length: k.length}
	if k.All {
		want.cpus = n.CPUs
	}
	if want.gpus <= 0 {
		return t.startRanges(out, &want, k.notBefore, most)
	}
	for i, g := range n.GPUs {
		if (k.Type == "" || k.Type == g.Type) && g.Count >= want.gpus {
			want.typ = i
			out = t.startRanges(out, &want, k.notBefore, most)
		}
	}
	return out
}

// nodeChange is a moment at which a node becomes, or ceases to be, a place.
type nodeChange struct {
	at    int64
	node  int // index among the class's nodes
	delta int
}

// placeGang finds the moment at which enough nodes are free together, those it
// must have among them.
func (p *Plan) placeGang(k *taskClass) (int64, inventory.Slots) {
	turns := p.nodeChanges[:0]
	for i, n := range k.nodes {
		p.startRanges = p.appendStarts(p.startRanges[:0], k, n, -1)
		for _, s := range p.startRanges {
			turns = append(turns, nodeChange{s.first, i, 1})
			if s.last < never {
				turns = append(turns, nodeChange{s.last + 1, i, -1})
			}
		}
	}
	p.nodeChanges = turns
	slices.SortFunc(turns, func(a, b nodeChange) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.delta, b.delta)) })
	open, count, must := make([]int, len(k.nodes)), 0, 0
	for i, t := range turns {
		open[t.node] += t.delta // several of its GPU types may be free
		if t.delta > 0 && open[t.node] == 1 || t.delta < 0 && open[t.node] == 0 {
			count += t.delta
			if t.node < k.RequiredNodes {
				must += t.delta
			}
		}
		if i+1 < len(turns) && turns[i+1].at == t.at || count < k.Nodes || must < k.RequiredNodes {
			continue
		}
		if t.at > p.last {
			break
		}
		return t.at, k.Fit(k.nodes, func(n *inventory.Node) inventory.Room { return p.nodes[n.Index].leastRoom(t.at, t.at+k.length) })
	}
	return never, nil
}

// placeTotal finds room for GPUs that may be spread. It tries every moment at
// which as many are free at all.
func (p *Plan) placeTotal(k *taskClass) (int64, inventory.Slots) {
	p.startRanges = p.clusterTimeline().startRanges(p.startRanges[:0], &requirement{gpus: k.Total, length: k.length}, k.notBefore, -1)
	i, _ := slices.BinarySearch(p.times, k.notBefore)
	for _, s := range p.startRanges {
		for ; i < len(p.times) && p.times[i] <= min(s.last, p.last); i++ {
			at := p.times[i]
			if at < s.first {
				continue
			}
			if slots := k.Fit(k.nodes, func(n *inventory.Node) inventory.Room { return p.nodes[n.Index].leastRoom(at, at+k.length) }); slots != nil {
				return at, slots
			}
		}
	}
	return never, nil
}

// clusterTimeline returns the timeline of the GPUs of all nodes together.
func (p *Plan) clusterTimeline() timeline {
	if len(p.total) > 0 {
		return p.total
	}
	type step struct { // the cluster's free GPUs change
		at int64
		by int
	}
	var steps []step
	for _, t := range p.nodes {
		had := 0
		for i := range t {
			n := 0
			for _, g := range t[i].GPUs {
				n += g
			}
			steps = append(steps, step{t[i].at, n - had})
			had = n
		}
	}
	slices.SortFunc(steps, func(a, b step) int { return cmp.Compare(a.at, b.at) })
	r := inventory.Room{}
	for i, s := range steps {
		r.GPUs[0] += s.by
		if i+1 == len(steps) || steps[i+1].at > s.at {
			p.total = append(p.total, point{s.at, r})
		}
	}
	return p.total
}
