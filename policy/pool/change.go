package pool

import (
	"fmt"
	"time"

	"fairbridge/policy"
)

type poolChange struct {
	node, typeRow int // row is -1 when only cores and memory change
	count         int // devices given (positive) or taken
	cpus          int
	mem           int64
}

// checkFree says what is not there to take; nil when all is.
func (p *Pool) checkFree(a policy.Alloc, cpus int, memMB int64) error {
	all := a.Count()
	for i, s := range a {
		if i > 0 && a[i-1].Compare(s) >= 0 {
			return fmt.Errorf("taking %v: not sorted by node and type, or one twice", a)
		}
		n, ok := p.nodeIndexes[s.Node]
		if !ok {
			return fmt.Errorf("taking %v: node %s is not known", a, s.Node)
		}
		if r := p.nodes[n].rowOf(s.Type); s.Count <= 0 || r < 0 || p.nodes[n].devicesByType[r].freeDevices < s.Count {
			return fmt.Errorf("taking %d %s on %s: %d free", s.Count, s.Type, s.Node, p.FreeOn(s.Node, s.Type))
		}
		here := a.CountOn(s.Node)
		if policy.PortionForNode(cpus, here, all) > max(p.nodes[n].freeCPUs, 0) || policy.PortionForNode(memMB, here, all) > max(p.nodes[n].freeMemMB, 0) {
			return fmt.Errorf("taking %v: cores or memory are short on %s", a, s.Node)
		}
	}
	return nil
}

// applyAlloc gives (sign 1) or takes (sign -1) without asking whether it is there.
func (p *Pool) applyAlloc(a policy.Alloc, sign, cpus int, memMB int64) {
	all := a.Count()
	for i, s := range a {
		n, ok := p.nodeIndexes[s.Node]
		if !ok {
			continue
		}
		c := poolChange{node: n, typeRow: p.nodes[n].rowOf(s.Type), count: sign * s.Count}
		if c.typeRow < 0 {
			c.count = 0
		}
		if i == 0 || a[i-1].Node != s.Node {
			here := a.CountOn(s.Node)
			c.cpus, c.mem = sign*policy.PortionForNode(cpus, here, all), int64(sign)*policy.PortionForNode(memMB, here, all)
		}
		p.apply(c)
		p.undoLog = append(p.undoLog, c)
	}
}

func (p *Pool) apply(c poolChange) {
	h := &p.nodes[c.node]
	h.freeCPUs += c.cpus
	h.freeMemMB += c.mem
	if c.typeRow < 0 {
		return
	}
	r := &h.devicesByType[c.typeRow]
	before := max(r.freeDevices, 0)
	r.freeDevices += c.count
	p.nodesWithFree.set(c.node, r.freeDevices > 0 || h.hasFree())
	if !h.IsDownAt(p.startTime) {
		p.totals.add(r, max(r.freeDevices, 0)-before)
	}
}

// AdvanceTo moves the pool to a later moment: nodes that were set aside are up again.
func (p *Pool) AdvanceTo(t time.Time) {
	for i := range p.nodes {
		h := &p.nodes[i]
		if !h.IsDownAt(p.startTime) || h.IsDownAt(t) {
			continue
		}
		for k := range h.devicesByType {
			p.totals.add(&h.devicesByType[k], max(h.devicesByType[k].freeDevices, 0))
		}
	}
	p.startTime = t
}

// Mark returns the present point of the undo log.
func (p *Pool) Mark() int { return len(p.undoLog) }

// Rewind undoes every change since the mark, in as many steps as there were
// changes.
func (p *Pool) Rewind(mark int) {
	for i := len(p.undoLog) - 1; i >= mark; i-- {
		c := p.undoLog[i]
		p.apply(poolChange{node: c.node, typeRow: c.typeRow, count: -c.count, cpus: -c.cpus, mem: -c.mem})
	}
	p.undoLog = p.undoLog[:mark]
}
