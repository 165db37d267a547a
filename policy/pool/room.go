package pool

import (
	"cmp"
	"slices"
	"time"

	"fairbridge/policy"
)

// Room is what one node offers to an ask: Count devices, with the cores and
// memory that come with them.
type Room struct {
	Node     string
	Leaf     string
	Count    int  // at least 1
	Required bool // the user requires the node
	node     int
}

// Rooms returns the nodes of the partition that are up, allowed by the ask and
// have something free for it, in node order.
func (p *Pool) Rooms(partition string, a policy.Ask) []Room {
	return appendRooms(nil, p, partition, &a)
}

func appendRooms(rooms []Room, p *Pool, partition string, a *policy.Ask) []Room {
	for i := p.nodesWithFree.next(0); i >= 0; i = p.nodesWithFree.next(i + 1) {
		if c := p.nodes[i].usableDevices(p.from, partition, a); c > 0 {
			n := p.nodes[i].Node
			rooms = append(rooms, Room{n.Name, n.LeafSwitch, c, slices.Contains(a.RequiredNodes, n.Name), i})
		}
	}
	return rooms
}

// survey is what one look at all nodes tells of an ask.
type survey struct {
	tight  int // the node with the fewest devices that are enough; -1: none
	best   int // the node with most; -1: no node has any
	most   int // devices of best
	sum    int // devices of all
	enough bool
}

// surveyNodes looks at the nodes in order. In haste it stops when it knows that a
// small gang fits.
func surveyNodes(p *Pool, partition string, a *policy.Ask, haste bool) survey {
	v := survey{tight: -1, best: -1}
	need, least := a.GPUs.Count, 0
	for i := p.nodesWithFree.next(0); i >= 0; i = p.nodesWithFree.next(i + 1) {
		c := p.nodes[i].usableDevices(p.from, partition, a)
		if c == 0 {
			continue
		}
		v.sum += c
		if c > v.most {
			v.best, v.most = i, c
		}
		if c >= need && (v.tight < 0 || c < least) {
			v.tight, least = i, c
		}
		v.enough = v.most >= need || a.MaxNodes == 0 && v.sum >= need
		if haste && v.enough {
			break
		}
	}
	return v
}

// WindowsReached returns how many begins of windows a time limit reaches; 0, no
// limit, reaches all.
func (p *Pool) WindowsReached(limit time.Duration) int {
	if limit <= 0 {
		return len(p.windowStarts)
	}
	n, _ := slices.BinarySearch(p.windowStarts, limit)
	return n
}

// Devices turns a choice of rooms and counts into an allocation of the ask's
// type. For type "" it takes whole GPUs of the node's types in order. The
// counts must be no more than the rooms'.
func (p *Pool) Devices(typ string, rooms []Room, counts []int) policy.Alloc {
	a := make(policy.Alloc, 0, len(rooms))
	for i, room := range rooms {
		need := counts[i]
		for _, r := range p.nodes[room.node].rows {
			if c := min(need, r.free); c > 0 && r.matches(typ) {
				a = append(a, policy.Slot{Node: room.Node, Type: r.gpuType, Count: c})
				need -= c
			}
		}
	}
	slices.SortFunc(a, policy.Slot.Compare)
	return a
}

// compareLargest puts required rooms first, then those with most devices, then by
// name.
func compareLargest(a, b Room) int {
	switch {
	case a.Required != b.Required && a.Required:
		return -1
	case a.Required != b.Required:
		return 1
	case a.Count != b.Count:
		return cmp.Compare(b.Count, a.Count)
	}
	return cmp.Compare(a.node, b.node)
}

// AllowsSlot reports whether the ask may use the slot's node, which has the cores
// and memory for the slot's part of it. It does not look at devices.
func (p *Pool) AllowsSlot(s policy.Slot, partition string, a policy.Ask) bool {
	i, ok := p.index[s.Node]
	if !ok || p.nodes[i].IsDownAt(p.from) || !p.nodes[i].allows(partition, &a) {
		return false
	}
	h := &p.nodes[i]
	whole, cpus, _ := h.setAside(p.from, &a)
	return !whole && policy.NodePortion(a.CPUs, s.Count, a.GPUs.Count) <= max(h.cpus-cpus, 0) && policy.NodePortion(a.MemMB, s.Count, a.GPUs.Count) <= max(h.memMB, 0)
}
