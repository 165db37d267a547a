package pool

import (
	"cmp"
	"slices"
	"time"

	"fairbridge/policy"
)

// Room is what one node offers to an ask: DeviceCount devices, with the cores and
// memory that come with them.
type Room struct {
	NodeName    string
	LeafSwitch  string
	DeviceCount int  // at least 1
	IsRequired  bool // the user requires the node
	nodeIndex   int
}

// ListRooms returns the nodes of the partition that are up, allowed by the ask and
// have something free for it, in node order.
func (p *Pool) ListRooms(partition string, a policy.Ask) []Room {
	return appendRooms(nil, p, partition, &a)
}

func appendRooms(rooms []Room, p *Pool, partition string, a *policy.Ask) []Room {
	for i := p.nodesWithFree.nextFrom(0); i >= 0; i = p.nodesWithFree.nextFrom(i + 1) {
		if c := p.nodes[i].usableDevices(p.startTime, partition, a); c > 0 {
			n := p.nodes[i].Node
			rooms = append(rooms, Room{n.Name, n.LeafSwitch, c, slices.Contains(a.RequiredNodes, n.Name), i})
		}
	}
	return rooms
}

// nodeSurvey is what one look at all nodes tells of an ask.
type nodeSurvey struct {
	tightestNode int // the node with the fewest devices that are enough; -1: none
	largestNode  int // the node with most; -1: no node has any
	mostDevices  int // devices of largestNode
	totalDevices int // devices of all
	hasEnough    bool
}

// surveyNodes looks at the nodes in order, as far as one has just what the ask needs. In haste
// it stops when it knows that a small gang fits.
func surveyNodes(p *Pool, partition string, a *policy.Ask, haste bool) nodeSurvey {
	v := nodeSurvey{tightestNode: -1, largestNode: -1}
	need, least := a.GPUs.Count, 0
	takesTightest := need > 0 && mayFitOneNode(a) && len(a.RequiredNodes) == 0 // and no node is tighter than one with just as many
	for i := p.nodesWithFree.nextFrom(0); i >= 0; i = p.nodesWithFree.nextFrom(i + 1) {
		c := p.nodes[i].usableDevices(p.startTime, partition, a)
		if c == 0 {
			continue
		}
		v.totalDevices += c
		if c > v.mostDevices {
			v.largestNode, v.mostDevices = i, c
		}
		if c >= need && (v.tightestNode < 0 || c < least) {
			v.tightestNode, least = i, c
		}
		v.hasEnough = v.mostDevices >= need || a.MaxNodes == 0 && v.totalDevices >= need
		if haste && v.hasEnough || takesTightest && c == need {
			break
		}
	}
	return v
}

// CountWindowsReached returns how many begins of windows a time limit reaches; 0, no
// limit, reaches all.
func (p *Pool) CountWindowsReached(limit time.Duration) int {
	if limit <= 0 {
		return len(p.windowStarts)
	}
	n, _ := slices.BinarySearch(p.windowStarts, limit)
	return n
}

// AllocFromRooms turns a choice of rooms and counts into an allocation of the ask's
// type. For type "" it takes whole GPUs of the node's types in order. The
// counts must be no more than the rooms'.
func (p *Pool) AllocFromRooms(typ string, rooms []Room, counts []int) policy.Alloc {
	a := make(policy.Alloc, 0, len(rooms))
	for i, room := range rooms {
		need := counts[i]
		for _, r := range p.nodes[room.nodeIndex].typeDevices {
			if c := min(need, r.freeDevices); c > 0 && r.matchesType(typ) {
				a = append(a, policy.Slot{Node: room.NodeName, Type: r.gpuType, Count: c})
				need -= c
			}
		}
	}
	slices.SortFunc(a, policy.Slot.Compare)
	return a
}

// compareLargestFirst puts required rooms first, then those with most devices, then by
// name.
func compareLargestFirst(a, b Room) int {
	switch {
	case a.IsRequired != b.IsRequired && a.IsRequired:
		return -1
	case a.IsRequired != b.IsRequired:
		return 1
	case a.DeviceCount != b.DeviceCount:
		return cmp.Compare(b.DeviceCount, a.DeviceCount)
	}
	return cmp.Compare(a.nodeIndex, b.nodeIndex)
}

// AllowsSlot reports whether the ask may use the slot's node, which has the cores
// and memory for the slot's part of it. It does not look at devices.
func (p *Pool) AllowsSlot(s policy.Slot, partition string, a policy.Ask) bool {
	i, ok := p.nodeIndexByName[s.Node]
	if !ok || p.nodes[i].IsDownAt(p.startTime) || !p.nodes[i].allowsAsk(partition, &a) {
		return false
	}
	h := &p.nodes[i]
	whole, cpus, _ := h.countSetAside(p.startTime, &a)
	return !whole && policy.PortionForNode(a.CPUs, s.Count, a.GPUs.Count) <= max(h.freeCPUs-cpus, 0) && policy.PortionForNode(a.MemMB, s.Count, a.GPUs.Count) <= max(h.freeMemMB, 0)
}

// chooseCloser returns rooms below one switch for a gang that needs several nodes: below the lowest that has as many rooms
// as few as the given ones, and of those of one height the one with least left over. Where nothing is known of switches, or none
// is closer, it returns the given ones.
func chooseCloser(p *Pool, a policy.Ask, all, given []Room, counts []int) ([]Room, []int) {
	if len(given) < 2 || !slices.ContainsFunc(all, func(r Room) bool { return r.LeafSwitch != "" }) {
		return given, counts
	}
	for height := 0; ; height++ {
		sums := sumBySwitch(p, all, height)
		if len(sums) == 0 { // no node has a switch so high
			return given, counts
		}
		if rooms, each := closestBelow(p, a, all, len(given), sums, height); len(rooms) > 0 {
			return rooms, each
		}
	}
}

// closestBelow returns rooms for a gang below the switch of a height that has so many and least left over; none: no one has.
func closestBelow(p *Pool, a policy.Ask, all []Room, count int, sums []switchSum, height int) (best []Room, counts []int) {
	most := 0
	for _, s := range sums {
		if s.roomCount < count || s.devices < a.GPUs.Count || best != nil && s.devices >= most {
			continue
		}
		if chosen, each := chooseRooms(a, roomsBelow(p, all, s.name, height)); len(chosen) == count {
			best, counts, most = chosen, each, s.devices
		}
	}
	return best, counts
}

// switchSum is how many rooms there are below a switch, and with how many devices.
type switchSum struct {
	name               string
	roomCount, devices int
}

// sumBySwitch sums rooms by their switches of a height, 0 being the lowest, by name. Nodes that have none so high are left out.
func sumBySwitch(p *Pool, rooms []Room, height int) []switchSum {
	var sums []switchSum
	for _, r := range rooms {
		name := switchOf(p, r, height)
		if name == "" {
			continue
		}
		i, found := slices.BinarySearchFunc(sums, name, func(s switchSum, name string) int { return cmp.Compare(s.name, name) })
		if !found {
			sums = slices.Insert(sums, i, switchSum{name: name})
		}
		sums[i].roomCount, sums[i].devices = sums[i].roomCount+1, sums[i].devices+r.DeviceCount
	}
	return sums
}

// roomsBelow returns the rooms below a switch of a height.
func roomsBelow(p *Pool, all []Room, name string, height int) []Room {
	var rooms []Room
	for _, r := range all {
		if switchOf(p, r, height) == name {
			rooms = append(rooms, r)
		}
	}
	return rooms
}

// switchOf is the switch of a height above a room's node; "": there is none, or it is not known.
func switchOf(p *Pool, r Room, height int) string {
	above := p.nodes[r.nodeIndex].Switches
	switch {
	case height == 0:
		return r.LeafSwitch
	case height <= len(above):
		return above[height-1]
	}
	return ""
}
