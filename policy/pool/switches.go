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
		groups := groupBySwitch(p, all, height)
		best, most := -1, 0
		for i, g := range groups {
			if chosen, _ := chooseRooms(a, g.rooms); len(chosen) == len(given) && (best < 0 || g.devices < most) {
				best, most = i, g.devices
			}
		}
		switch {
		case best >= 0:
			return chooseRooms(a, groups[best].rooms)
		case len(groups) == 0: // no node has a switch so high
			return given, counts
		}
	}
}

// switchGroup are the rooms below one switch.
type switchGroup struct {
	name    string
	rooms   []Room
	devices int
}

// groupBySwitch groups rooms by their switches of a height, 0 being the lowest, by name. Nodes that have none so high are left out.
func groupBySwitch(p *Pool, rooms []Room, height int) []switchGroup {
	var groups []switchGroup
	for _, r := range rooms {
		name := switchOf(p, r, height)
		if name == "" {
			continue
		}
		i, found := slices.BinarySearchFunc(groups, name, func(g switchGroup, name string) int { return cmp.Compare(g.name, name) })
		if !found {
			groups = slices.Insert(groups, i, switchGroup{name: name})
		}
		groups[i].rooms, groups[i].devices = append(groups[i].rooms, r), groups[i].devices+r.DeviceCount
	}
	return groups
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
