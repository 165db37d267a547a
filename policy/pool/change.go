package pool

import (
	"fmt"
	"math/bits"
	"slices"
	"time"

	"fairbridge/policy"
)

// lacks says what is not there to take; nil when all is.
func (p *Pool) lacks(a policy.Alloc, cpus int, memMB int64) error {
	all := a.Count()
	for i, s := range a {
		if i > 0 && a[i-1].Compare(s) >= 0 {
			return fmt.Errorf("taking %v: not sorted by node and type, or one twice", a)
		}
		n, ok := p.index[s.Node]
		if !ok {
			return fmt.Errorf("taking %v: node %s is not known", a, s.Node)
		}
		if r := p.nodes[n].row(s.Type); s.Count <= 0 || r < 0 || p.nodes[n].rows[r].free < s.Count {
			return fmt.Errorf("taking %d %s on %s: %d free", s.Count, s.Type, s.Node, p.FreeOn(s.Node, s.Type))
		}
		here := a.CountOn(s.Node)
		if policy.Portion(cpus, here, all) > max(p.nodes[n].cpus, 0) || policy.Portion(memMB, here, all) > max(p.nodes[n].mem, 0) {
			return fmt.Errorf("taking %v: cores or memory are short on %s", a, s.Node)
		}
	}
	return nil
}

func (h *host) row(typ string) int {
	return slices.IndexFunc(h.rows, func(r row) bool { return r.typ == typ })
}

// change gives (sign 1) or takes (sign -1) without asking whether it is there.
func (p *Pool) change(a policy.Alloc, sign, cpus int, memMB int64) {
	all := a.Count()
	for i, s := range a {
		n, ok := p.index[s.Node]
		if !ok {
			continue
		}
		c := change{node: n, row: p.nodes[n].row(s.Type), count: sign * s.Count}
		if c.row < 0 {
			c.count = 0
		}
		if i == 0 || a[i-1].Node != s.Node {
			here := a.CountOn(s.Node)
			c.cpus, c.mem = sign*policy.Portion(cpus, here, all), int64(sign)*policy.Portion(memMB, here, all)
		}
		p.add(c)
		p.log = append(p.log, c)
	}
}

func (p *Pool) add(c change) {
	h := &p.nodes[c.node]
	h.cpus += c.cpus
	h.mem += c.mem
	if c.row < 0 {
		return
	}
	r := &h.rows[c.row]
	before := max(r.free, 0)
	r.free += c.count
	p.mark(c.node, r.free > 0)
	if h.DownAt(p.from) {
		return
	}
	d := max(r.free, 0) - before
	p.total(r.typ).free += d
	if r.whole {
		p.wholes += d
	}
}

// Advance moves the pool to a later moment: nodes that were set aside are up again.
func (p *Pool) Advance(t time.Time) {
	for i := range p.nodes {
		h := &p.nodes[i]
		if !h.DownAt(p.from) || h.DownAt(t) {
			continue
		}
		for _, r := range h.rows {
			p.total(r.typ).free += max(r.free, 0)
			if r.whole {
				p.wholes += max(r.free, 0)
			}
		}
	}
	p.from = t
}

// mark notes whether the node has something free, given that one of its rows
// has or has not.
func (p *Pool) mark(node int, has bool) {
	for i := 0; !has && i < len(p.nodes[node].rows); i++ {
		has = p.nodes[node].rows[i].free > 0
	}
	if bit := uint64(1) << (node % 64); has {
		p.open[node/64] |= bit
	} else {
		p.open[node/64] &^= bit
	}
}

// next returns the first node from i on that has something free; the number
// of nodes when there is none.
func (p *Pool) next(i int) int {
	for w := i / 64; w < len(p.open); w++ {
		word := p.open[w]
		if w == i/64 {
			word &= ^uint64(0) << (i % 64)
		}
		if word != 0 {
			return w*64 + bits.TrailingZeros64(word)
		}
	}
	return len(p.nodes)
}

// Mark returns the present point of the undo log.
func (p *Pool) Mark() int { return len(p.log) }

// Rewind undoes every change since the mark, in as many steps as there were
// changes.
func (p *Pool) Rewind(mark int) {
	for i := len(p.log) - 1; i >= mark; i-- {
		c := p.log[i]
		p.add(change{node: c.node, row: c.row, count: -c.count, cpus: -c.cpus, mem: -c.mem})
	}
	p.log = p.log[:mark]
}
