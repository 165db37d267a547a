package pool

import (
	"cmp"
	"slices"

	"fairbridge/policy"
)

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
