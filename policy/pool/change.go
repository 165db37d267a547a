package pool

import (
	"fmt"
	"time"

	"fairbridge/policy"
)

type poolChange struct {
	nodeIndex, typeIndex int              // typeIndex is -1 when only cores and memory change
	deviceCount          int              // devices given (positive) or taken
	devices              policy.DeviceSet // which; 0: not known
	cpuCount             int
	memMB                int64
}

// checkFree says what is not there to take; nil when all is. Devices that other jobs hold are
// there only where they may be shared.
func (p *Pool) checkFree(a policy.Alloc, cpus int, memMB int64, mayShare bool) error {
	all := a.Count()
	for i, s := range a {
		if i > 0 && a[i-1].Compare(s) >= 0 {
			return fmt.Errorf("taking %v: not sorted by node and type, or one twice", a)
		}
		n, ok := p.nodeIndexByName[s.Node]
		if !ok {
			return fmt.Errorf("taking %v: node %s is not known", a, s.Node)
		}
		if r := p.nodes[n].indexOfType(s.Type); s.Count <= 0 || r < 0 || !p.nodes[n].typeDevices[r].hasFree(s, mayShare) {
			return fmt.Errorf("taking %d %s on %s: %d free", s.Count, s.Type, s.Node, p.FreeOnNode(s.Node, s.Type))
		}
		here := a.CountBeside(i)
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
		n, ok := p.nodeIndexByName[s.Node]
		if !ok {
			continue
		}
		c := poolChange{nodeIndex: n, typeIndex: p.nodes[n].indexOfType(s.Type), deviceCount: sign * s.Count}
		if c.devices = knownDevices(s); c.typeIndex < 0 {
			c.deviceCount = 0
		}
		if i == 0 || a[i-1].Node != s.Node {
			here := a.CountBeside(i)
			c.cpuCount, c.memMB = sign*policy.PortionForNode(cpus, here, all), int64(sign)*policy.PortionForNode(memMB, here, all)
		}
		p.applyChange(c)
		p.undoLog = append(p.undoLog, c)
	}
}

func (p *Pool) applyChange(c poolChange) {
	h := &p.nodes[c.nodeIndex]
	h.freeCPUs += c.cpuCount
	h.freeMemMB += c.memMB
	if c.typeIndex < 0 {
		return
	}
	r := &h.typeDevices[c.typeIndex]
	before := max(r.freeDevices, 0)
	switch {
	case c.devices == 0:
		r.freeDevices += c.deviceCount
	case c.deviceCount > 0:
		r.hold(c.devices, -1)
	default:
		r.hold(c.devices, 1)
	}
	p.nodesWithFree.set(c.nodeIndex, r.freeDevices > 0 || h.hasFreeDevices())
	if !h.IsDownAt(p.startTime) {
		p.totals.addFreeDevices(r, max(r.freeDevices, 0)-before)
	}
}

// AdvanceTo moves the pool to a later moment: nodes that were set aside are up again.
func (p *Pool) AdvanceTo(t time.Time) {
	for i := range p.nodes {
		h := &p.nodes[i]
		if !h.IsDownAt(p.startTime) || h.IsDownAt(t) {
			continue
		}
		for k := range h.typeDevices {
			p.totals.addFreeDevices(&h.typeDevices[k], max(h.typeDevices[k].freeDevices, 0))
		}
	}
	p.startTime = t
}

// UndoMark returns the present point of the undo log.
func (p *Pool) UndoMark() int { return len(p.undoLog) }

// Rewind undoes every change since the mark, in as many steps as there were
// changes.
func (p *Pool) Rewind(mark int) {
	for i := len(p.undoLog) - 1; i >= mark; i-- {
		c := p.undoLog[i]
		p.applyChange(poolChange{nodeIndex: c.nodeIndex, typeIndex: c.typeIndex, deviceCount: -c.deviceCount, devices: c.devices, cpuCount: -c.cpuCount, memMB: -c.memMB})
	}
	p.undoLog = p.undoLog[:mark]
}
