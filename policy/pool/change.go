package pool

import (
	"fmt"
	"slices"
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

// Kept is a pool that is brought from one snapshot to the next: what jobs no longer hold is given back, and what they
// hold since is taken. The zero Kept has none yet.
type Kept struct {
	pool           *Pool
	nodes          []policy.Node
	speeds         []policy.Speed
	holders, spare []holder // by job
}

// holder is what a job holds of the pool.
type holder struct {
	job     policy.JobID
	on      policy.Alloc
	amounts policy.Amounts
}

func (h *holder) isAs(o *holder) bool {
	return h.amounts == o.amounts && isSameSlice(h.on, o.on)
}

func isSameSlice[T any](a, b []T) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// IsOf reports whether what is kept is of the snapshot's nodes, none of which is ever set aside.
func (k *Kept) IsOf(s *policy.Snapshot) bool {
	return k.pool != nil && isSameSlice(k.nodes, s.Nodes) && isSameSlice(k.speeds, s.Speeds)
}

// Renew returns the pool of the snapshot, as New does. It is valid until it is called again.
func (k *Kept) Renew(s *policy.Snapshot) *Pool {
	if !k.IsOf(s) {
		p := New(s)
		if *k = (Kept{}); !slices.ContainsFunc(s.Nodes, func(n policy.Node) bool { return len(n.Windows) > 0 }) {
			*k = Kept{pool: p, nodes: s.Nodes, speeds: s.Speeds}
			k.setHolders(s, func(*holder, int) {})
		}
		return p
	}
	p := k.pool
	p.Rewind(0)
	k.setHolders(s, func(h *holder, sign int) { p.applyAlloc(h.on, sign, h.amounts.CPUs, h.amounts.MemMB) })
	p.startTime, p.undoLog = s.Now, p.undoLog[:0]
	return p
}

// setHolders notes what the jobs of the snapshot hold. change is told what a job held and does not any more, with 1,
// and what it did not hold before, with -1.
func (k *Kept) setHolders(s *policy.Snapshot, change func(h *holder, sign int)) {
	next, before := k.spare[:0], k.holders
	for i := range s.Jobs {
		j := &s.Jobs[i]
		if !j.HoldsGPUs() {
			continue
		}
		for ; len(before) > 0 && before[0].job < j.ID; before = before[1:] {
			change(&before[0], 1)
		}
		next = append(next, holder{j.ID, j.On, j.HeldAmounts()})
		h := &next[len(next)-1]
		if len(before) > 0 && before[0].job == h.job {
			old := &before[0]
			if before = before[1:]; old.isAs(h) {
				continue
			}
			change(old, 1)
		}
		change(h, -1)
	}
	for i := range before {
		change(&before[i], 1)
	}
	k.holders, k.spare = next, k.holders
}
