package backfill

import (
	"iter"
	"slices"

	"fairbridge/replica/sim/inventory"
)

// neverNanos is later than any moment.
const neverNanos = 1<<63 - 1

func (p *Plan) roundDown(at int64) int64 { return at - at%p.resolution }

// nodeSet is a set of nodes by index.
type nodeSet []uint64

func newNodeSet(nodes int) nodeSet { return make(nodeSet, (nodes+63)/64) }

func (s nodeSet) add(i int)      { s[i/64] |= 1 << (i % 64) }
func (s nodeSet) remove(i int)   { s[i/64] &^= 1 << (i % 64) }
func (s nodeSet) has(i int) bool { return s[i/64]&(1<<(i%64)) != 0 }

// keepCommon keeps what is in both sets.
func (s nodeSet) keepCommon(t nodeSet) {
	for i := range s {
		s[i] &= t[i]
	}
}

// period is a time in which the same nodes are open for jobs that have no place yet.
type period struct {
	begin, end int64
	open       nodeSet
}

// closeNodes keeps whole nodes for a job, or from all jobs, between two moments.
func (p *Plan) closeNodes(nodes iter.Seq[*inventory.Node], from, to int64) {
	from = max(from, p.periods[0].begin)
	if to <= from {
		return
	}
	first := p.splitPeriod(from)
	last := len(p.periods)
	if to < neverNanos {
		last = p.splitPeriod(to)
	}
	for n := range nodes {
		for i := first; i < last; i++ {
			p.periods[i].open.remove(n.Index)
		}
	}
}

// splitPeriod makes sure that a period begins at the moment and returns its index.
func (p *Plan) splitPeriod(at int64) int {
	i := len(p.periods) - 1
	for p.periods[i].begin > at {
		i--
	}
	if p.periods[i].begin == at {
		return i
	}
	p.periods = slices.Insert(p.periods, i+1, period{at, p.periods[i].end, slices.Clone(p.periods[i].open)})
	p.periods[i].end = at
	return i + 1
}

// findOpenNodes leaves in p.open the nodes of the class that are open from a moment on for its
// whole length. It returns when more of them are open, which is worth another try; 0: never, as
// far as slurmctld looks, which is one period beyond the job's end.
func (p *Plan) findOpenNodes(k *taskClass, from int64) (later int64) {
	copy(p.open, k.set)
	end := from + k.lengthNanos
	for i := range p.periods {
		d := &p.periods[i]
		if d.end <= from {
			continue
		}
		if later == 0 && i+1 < len(p.periods) && p.opensMore(k.set, d.open, p.periods[i+1].open) {
			later = d.end
		}
		if d.begin > end {
			break
		}
		p.open.keepCommon(d.open)
	}
	return later
}

// opensMore reports whether the nodes open in the next period are more than those of p.open that
// are open in this one.
func (p *Plan) opensMore(usable, this, next nodeSet) bool {
	for i := range usable {
		if usable[i]&next[i]&^(p.open[i]&this[i]) != 0 {
			return true
		}
	}
	return false
}

// isClosedFor reports whether one of the nodes is kept for another job between two moments.
func (p *Plan) isClosedFor(slots inventory.Slots, from, to int64) bool {
	for i := range p.periods {
		d := &p.periods[i]
		if d.end <= from || d.begin >= to {
			continue
		}
		for k := range slots {
			if !d.open.has(slots[k].Node.Index) {
				return true
			}
		}
	}
	return false
}
