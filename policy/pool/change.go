package pool

import (
	"fmt"
	"time"

	"fairbridge/policy"
)

type change struct {
	node, row int // row is -1 when only cores and memory change
	count     int // devices given (positive) or taken
	cpus      int
	mem       int64
}

// checkFree says what is not there to take; nil when all is.
func (p *Pool) checkFree(a policy.Alloc, cpus int, memMB int64) error {
	all := a.Count()
	for i, s := range a {
		if i > 0 && a[i-1].Compare(s) >= 0 {
			return fmt.Errorf("taking %v: not sorted by node and type, or one twice", a)
		}
		n, ok := p.index[s.Node]
		if !ok {
			return fmt.Errorf("taking %v: node %s is not known", a, s.Node)
		}
		if r := p.nodes[n].rowOf(s.Type); s.Count <= 0 || r < 0 || p.nodes[n].rows[r].free < s.Count {
			return fmt.Errorf("taking %d %s on %s: %d free", s.Count, s.Type, s.Node, p.FreeOn(s.Node, s.Type))
		}
		here := a.CountOn(s.Node)
		if policy.NodePortion(cpus, here, all) > max(p.nodes[n].cpus, 0) || policy.NodePortion(memMB, here, all) > max(p.nodes[n].memMB, 0) {
			return fmt.Errorf("taking %v: cores or memory are short on %s", a, s.Node)
		}
	}
	return nil
}

// applyAlloc gives (sign 1) or takes (sign -1) without asking whether it is there.
func (p *Pool) applyAlloc(a policy.Alloc, sign, cpus int, memMB int64) {
	all := a.Count()
	for i, s := range a {
		n, ok := p.index[s.Node]
		if !ok {
			continue
		}
		c := change{node: n, row: p.nodes[n].rowOf(s.Type), count: sign * s.Count}
		if c.row < 0 {
			c.count = 0
		}
		if i == 0 || a[i-1].Node != s.Node {
			here := a.CountOn(s.Node)
			c.cpus, c.mem = sign*policy.NodePortion(cpus, here, all), int64(sign)*policy.NodePortion(memMB, here, all)
		}
		p.apply(c)
		p.log = append(p.log, c)
	}
}

func (p *Pool) apply(c change) {
	h := &p.nodes[c.node]
	h.cpus += c.cpus
	h.memMB += c.mem
	if c.row < 0 {
		return
	}
	r := &h.rows[c.row]
	before := max(r.free, 0)
	r.free += c.count
	p.nodesWithFree.set(c.node, r.free > 0 || h.hasFree())
	if !h.IsDownAt(p.from) {
		p.totals.add(r, max(r.free, 0)-before)
	}
}

// Advance moves the pool to a later moment: nodes that were set aside are up again.
func (p *Pool) Advance(t time.Time) {
	for i := range p.nodes {
		h := &p.nodes[i]
		if !h.IsDownAt(p.from) || h.IsDownAt(t) {
			continue
		}
		for k := range h.rows {
			p.totals.add(&h.rows[k], max(h.rows[k].free, 0))
		}
	}
	p.from = t
}

// Mark returns the present point of the undo log.
func (p *Pool) Mark() int { return len(p.log) }

// Rewind undoes every change since the mark, in as many steps as there were
// changes.
func (p *Pool) Rewind(mark int) {
	for i := len(p.log) - 1; i >= mark; i-- {
		c := p.log[i]
		p.apply(change{node: c.node, row: c.row, count: -c.count, cpus: -c.cpus, mem: -c.mem})
	}
	p.log = p.log[:mark]
}
