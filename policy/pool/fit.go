package pool

import (
	"fmt"
	"slices"
	"strings"

	"fairbridge/policy"
)

// Fit finds room for one gang: on the fewest nodes that hold it and, among
// those, below the lowest switch that has room and where least is left over. It finds a place whenever there is one,
// takes nothing, and its error says what is missing.
func Fit(p *Pool, partition string, a policy.Ask) (policy.Alloc, error) {
	if p.TotalFree(a.GPUs.Type) == 0 {
		return nil, &shortage{ask: a, isNoneFree: true}
	}
	var err error
	var on policy.Alloc
	for _, t := range p.TypesFor(&a) {
		a.GPUs.Type = t
		if on, err = fitType(p, partition, &a); err == nil {
			return on, nil
		}
	}
	return nil, err
}

// TypesFor returns the types an ask may be placed on, in the order to try them:
// its own, or for "" every type of whole GPUs, as Ask.TypesToTry has them or else the
// fastest first, so that a gang is of one model if one has room, and last "" for
// a mix.
func (p *Pool) TypesFor(a *policy.Ask) []string {
	switch {
	case a.GPUs.Type != "":
		return []string{a.GPUs.Type}
	case a.TypesToTry != nil:
		return append(slices.Clone(a.TypesToTry), "")
	}
	return append(slices.Clone(p.totals.wholeGPUTypes), "")
}

// fitType is Fit for one type. Most gangs need one node or find too little; a
// survey answers those.
func fitType(p *Pool, partition string, a *policy.Ask) (policy.Alloc, error) {
	v := surveyNodes(p, partition, a, false)
	switch {
	case len(a.RequiredNodes) > 0 || a.GPUs.Count <= 0:
	case v.totalDevices < a.GPUs.Count || mayFitOneNode(a) && a.MaxNodes == 1 && v.tightestNode < 0:
		m := &shortage{ask: *a, mostFreeDevices: v.mostDevices, totalFreeDevices: v.totalDevices}
		if v.largestNode >= 0 {
			m.emptiestNode = p.nodes[v.largestNode].Name
		}
		return nil, m
	case mayFitOneNode(a) && v.tightestNode >= 0:
		return p.AllocFromRooms(a.GPUs.Type, []Room{{nodeIndex: v.tightestNode, NodeName: p.nodes[v.tightestNode].Name}}, []int{a.GPUs.Count}), nil
	}
	p.scratchRooms = appendRooms(p.scratchRooms[:0], p, partition, a)
	return FitInRooms(p, *a, p.scratchRooms)
}

// Fits reports whether Fit finds a place, for less than Fit costs.
func (p *Pool) Fits(partition string, a policy.Ask) bool {
	if p.TotalFree(a.GPUs.Type) < a.GPUs.Count {
		return false
	}
	switch {
	case a.GPUs.Count <= 0 || len(a.RequiredNodes) > 0:
	case a.PerNode > 0:
		return slices.ContainsFunc(p.TypesFor(&a), func(t string) bool { return p.fitsEvenly(partition, a, t) })
	case mayFitOneNode(&a) && surveyNodes(p, partition, &a, true).hasEnough:
		return true
	}
	_, err := Fit(p, partition, a)
	return err == nil
}

// fitsEvenly reports whether chooseRoomsEvenly finds nodes for a gang that requires none.
func (p *Pool) fitsEvenly(partition string, a policy.Ask, typ string) bool {
	a.GPUs.Type = typ
	n := evenNodes(&a)
	for i := p.nodesWithFree.nextFrom(0); i >= 0 && n > 0; i = p.nodesWithFree.nextFrom(i + 1) {
		if p.nodes[i].usableDevices(p.startTime, partition, &a) >= a.PerNode {
			if n--; n == 0 {
				return true
			}
		}
	}
	return false
}

// evenNodes returns of how many nodes a gang takes PerNode devices each; 0: of no number that it accepts.
func evenNodes(a *policy.Ask) int {
	n := a.GPUs.Count / a.PerNode
	if n*a.PerNode != a.GPUs.Count || n < a.MinNodes || a.MaxNodes > 0 && n > a.MaxNodes {
		return 0
	}
	return n
}

// mayFitOneNode reports whether one node is enough for the ask, if it has room.
func mayFitOneNode(a *policy.Ask) bool {
	return a.PerNode == 0 && a.MinNodes <= 1 && len(a.RequiredNodes) == 0
}

// FitInRooms is Fit within rooms that were chosen already. It may reorder them.
func FitInRooms(p *Pool, a policy.Ask, rooms []Room) (policy.Alloc, error) {
	if a.GPUs.Count <= 0 {
		return nil, fmt.Errorf("asks for %d GPUs", a.GPUs.Count)
	}
	chosen, counts := chooseRooms(a, rooms)
	if chosen == nil {
		return nil, newShortage(a, rooms)
	}
	chosen, counts = chooseCloser(p, a, rooms, chosen, counts)
	return p.AllocFromRooms(a.GPUs.Type, chosen, counts), nil
}

// chooseRooms picks rooms and how much to take of each; nil when the gang does not
// fit.
func chooseRooms(a policy.Ask, rooms []Room) ([]Room, []int) {
	if mayFitOneNode(&a) {
		if i := tightestRoom(rooms, a.GPUs.Count); i >= 0 {
			return rooms[i : i+1], []int{a.GPUs.Count}
		}
		if a.MaxNodes == 1 {
			return nil, nil
		}
	}
	if a.PerNode > 0 {
		return chooseRoomsEvenly(a, rooms)
	}
	return chooseFewestRooms(a, rooms)
}

// tightestRoom returns the first room with the fewest devices that are enough; -1
// when none are.
func tightestRoom(rooms []Room, need int) int {
	best := -1
	for i := range rooms {
		if rooms[i].DeviceCount >= need && (best < 0 || rooms[i].DeviceCount < rooms[best].DeviceCount) {
			best = i
		}
	}
	return best
}

// chooseRoomsEvenly takes PerNode devices of each of as many nodes as that makes, the
// tightest first.
func chooseRoomsEvenly(a policy.Ask, rooms []Room) ([]Room, []int) {
	n := evenNodes(&a)
	if n == 0 {
		return nil, nil
	}
	rooms = slices.DeleteFunc(slices.Clone(rooms), func(r Room) bool { return r.DeviceCount < a.PerNode })
	slices.SortFunc(rooms, func(x, y Room) int {
		if x.IsRequired != y.IsRequired || x.DeviceCount == y.DeviceCount {
			return compareLargestFirst(x, y)
		}
		return x.DeviceCount - y.DeviceCount
	})
	if len(rooms) < n || !hasRequiredNodes(a, rooms[:n]) {
		return nil, nil
	}
	return rooms[:n], slices.Repeat([]int{a.PerNode}, n)
}

// chooseFewestRooms takes the largest rooms until they suffice, and ends on the
// tightest one for what is then left.
func chooseFewestRooms(a policy.Ask, rooms []Room) ([]Room, []int) {
	slices.SortFunc(rooms, compareLargestFirst)
	n, sum := 0, 0
	for n < len(rooms) && (sum < a.GPUs.Count || n < max(a.MinNodes, len(a.RequiredNodes))) {
		sum += rooms[n].DeviceCount
		n++
	}
	if sum < a.GPUs.Count || n < max(a.MinNodes, 1) || n > a.GPUs.Count || a.MaxNodes > 0 && n > a.MaxNodes || !hasRequiredNodes(a, rooms[:n]) {
		return nil, nil
	}
	chosen, counts, need := slices.Clone(rooms[:n]), make([]int, n), a.GPUs.Count
	for i := range chosen {
		if i == n-1 && !chosen[i].IsRequired {
			chosen[i] = rooms[i:][tightestRoom(rooms[i:], need)]
		}
		counts[i] = min(chosen[i].DeviceCount, need-(n-1-i))
		need -= counts[i]
	}
	return chosen, counts
}

// hasRequiredNodes reports whether every node the user requires is among the rooms.
func hasRequiredNodes(a policy.Ask, rooms []Room) bool {
	for _, name := range a.RequiredNodes {
		if !slices.ContainsFunc(rooms, func(r Room) bool { return r.NodeName == name }) {
			return false
		}
	}
	return true
}

// newShortage says what the gang needs and what the rooms have.
func newShortage(a policy.Ask, rooms []Room) error {
	best, sum := Room{}, 0
	for _, r := range rooms {
		sum += r.DeviceCount
		if r.DeviceCount > best.DeviceCount {
			best = r
		}
	}
	if !hasRequiredNodes(a, rooms) {
		return fmt.Errorf("needs %s, and its own node list %s has no room", a.Describe(), strings.Join(a.RequiredNodes, ","))
	}
	return &shortage{a, best.NodeName, best.DeviceCount, sum, false}
}

// shortage says what a gang needs and what there is. It is an error that is
// made often and read seldom.
type shortage struct {
	ask                               policy.Ask
	emptiestNode                      string // node with most free
	mostFreeDevices, totalFreeDevices int
	isNoneFree                        bool // is free anywhere
}

// Error implements error.
func (m *shortage) Error() string {
	if m.isNoneFree {
		return fmt.Sprintf("needs %s, none is free", m.ask.Describe())
	}
	if m.mostFreeDevices == 0 {
		return fmt.Sprintf("needs %s, no node it may use has any free with the cores and memory it asks", m.ask.Describe())
	}
	return fmt.Sprintf("needs %s, %d free on the best node %s, %d in all it may use", m.ask.Describe(), m.mostFreeDevices, m.emptiestNode, m.totalFreeDevices)
}
