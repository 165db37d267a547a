package cells

import (
	"cmp"
	"slices"
)

// view is the nodes that gangs are placed on, physical or virtual. Their order persists from one
// search to the next.
type view struct {
	chain     *chain
	nodes     []*viewNode
	isVirtual bool // it packs across priorities; else it keeps away from higher ones

	smallFirst bool // see Config.SmallCellsFirst

	failures map[any]*failure // of opportunistic requests since anything changed, by their class
	requests int              // opportunistic ones so far
}

// failure is a search that found no place, and that would find none again.
type failure struct {
	why       WaitReason
	suggested func(node string) bool
	request   int // the last one that was not searched for; 0: none since the nodes are in the order it left
}

type viewNode struct {
	*cell
	free, same, higher int  // devices, as the search counts them
	isHealthy          bool // and so on for the physical node that it is bound to
	isSuggested        bool
}

// newView returns the view of cells by level: those of machines, and below them those that no
// machine has in it.
func newView(c *chain, all [][]*cell) view {
	v := view{chain: c, smallFirst: c.smallFirst}
	for l := c.nodeLevel; l >= 0; l-- {
		for _, n := range all[l] {
			v.isVirtual = n.root != nil
			if l == c.nodeLevel || n.parent == nil {
				v.nodes = append(v.nodes, &viewNode{cell: n})
			}
		}
	}
	return v
}

// place finds devices for tasks of so many devices each, ascending: first beside all that runs,
// then in place of what has a lower priority. It says why it finds none.
func (v *view) place(sizes []int, priority int, suggested func(node string) bool) ([][]*cell, WaitReason) {
	used := OpportunisticPriority
	picked, why := v.pickNodes(sizes, used, suggested)
	if picked == nil && priority > OpportunisticPriority {
		used = priority
		picked, why = v.pickNodes(sizes, used, suggested)
	}
	if picked == nil {
		return nil, why
	}
	out := make([][]*cell, len(sizes))
	usable := map[*cell][]*cell{}
	for i, n := range picked {
		if _, ok := usable[n]; !ok {
			usable[n] = usableDevices(n, used)
		}
		out[i] = closest(usable[n], sizes[i], v.chain.lowestLevelFor(sizes[i]))
		usable[n] = slices.DeleteFunc(usable[n], func(d *cell) bool { return slices.Contains(out[i], d) })
	}
	return out, ""
}

// pickNodes walks the nodes in order and puts as many tasks on each as it has room for.
func (v *view) pickNodes(sizes []int, priority int, suggested func(string) bool) ([]*cell, WaitReason) {
	v.sortNodes(priority, suggested)
	var out []*cell
	for _, n := range v.nodes {
		for left := n.free; left >= sizes[len(out)]; {
			if !n.isHealthy || !n.isSuggested {
				return nil, NodesBad
			}
			left -= sizes[len(out)]
			if out = append(out, n.cell); len(out) == len(sizes) {
				return out, ""
			}
		}
	}
	return nil, NoCapacity
}

func (v *view) sortNodes(priority int, suggested func(string) bool) {
	for _, n := range v.nodes {
		v.count(n, priority, suggested)
	}
	slices.SortStableFunc(v.nodes, v.compare)
}

// placeUnlessFailed finds devices for an opportunistic request, unless one of its class has failed.
func (v *view) placeUnlessFailed(r *Request) ([][]*cell, WaitReason) {
	v.requests++
	if f := v.failures[r.Class]; f != nil {
		f.request = v.requests
		return nil, f.why
	}
	v.catchUp()
	found, why := v.place(r.sizes(), OpportunisticPriority, r.suggested())
	if found == nil && r.Class != nil {
		if v.failures == nil {
			v.failures = map[any]*failure{}
		}
		v.failures[r.Class] = &failure{why: why, suggested: r.suggested()}
	}
	return found, why
}

// catchUp puts the nodes into the order in which the searches that were left out would have left them: of each
// class the last counts.
func (v *view) catchUp() {
	var missed []*failure
	for _, f := range v.failures {
		if f.request > 0 {
			missed = append(missed, f)
		}
	}
	slices.SortFunc(missed, func(a, b *failure) int { return a.request - b.request })
	for _, f := range missed {
		v.sortNodes(OpportunisticPriority, f.suggested)
		f.request = 0
	}
}

// forgetFailures is called before anything changes.
func (v *view) forgetFailures() {
	if len(v.failures) > 0 {
		v.catchUp()
		v.failures = nil
	}
}

// count counts what a node has at the priority.
func (v *view) count(n *viewNode, priority int, suggested func(string) bool) {
	n.free, n.same, n.higher = n.devices, n.used[priority], 0
	for p, number := range n.used {
		switch {
		case v.isVirtual && p != priority:
			n.same += number
		case !v.isVirtual && p > priority:
			n.higher += number
		}
		if p >= priority {
			n.free -= number
		}
	}
	physical := n.cell
	if v.isVirtual {
		physical = n.counter
	}
	n.isHealthy, n.isSuggested = true, true
	if physical != nil {
		n.isHealthy, n.isSuggested = !physical.isBad, suggested(physical.nodes[0])
	}
}

func (v *view) compare(a, b *viewNode) int {
	c := cmp.Or(compareBools(a.isHealthy, b.isHealthy), compareBools(a.isSuggested, b.isSuggested), b.same-a.same, a.higher-b.higher)
	if c == 0 && v.smallFirst {
		return a.devices - b.devices
	}
	return c
}

// compareBools puts what is true first.
func compareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// lowestLevelFor is the lowest level whose cells have so many devices.
func (c *chain) lowestLevelFor(devices int) int {
	for l, n := range c.deviceCounts {
		if n >= devices {
			return l
		}
	}
	return c.top()
}

// usableDevices are the devices of a node in tree order: the free ones, then those used at a
// lower priority.
func usableDevices(n *cell, priority int) []*cell {
	var free, lower []*cell
	n.walk(func(c *cell) {
		switch {
		case c.level > 0:
		case c.priority == FreePriority:
			free = append(free, c)
		case c.priority < priority:
			lower = append(lower, c)
		}
	})
	return append(free, lower...)
}

// closest returns the first of all combinations of so many devices, in order of the list, of those
// whose lowest common cell is lowest. It looks no further where that is of the level best.
func closest(list []*cell, number, best int) []*cell {
	s := &closestSearch{list: list, best: best, foundLevel: int(^uint(0) >> 1), now: make([]*cell, number)}
	s.from(0, 0, nil)
	return s.found
}

type closestSearch struct {
	list       []*cell
	best       int
	now, found []*cell
	foundLevel int
}

// from tries devices for place i of the combination, which has the common cell so far. It returns true when no
// better one can be found.
func (s *closestSearch) from(i, next int, common *cell) bool {
	for ; next <= len(s.list)-(len(s.now)-i); next++ {
		d := s.list[next]
		all := d
		if common != nil {
			all = commonAncestor(common, d)
		}
		if all.level >= s.foundLevel {
			continue
		}
		if s.now[i] = d; i+1 < len(s.now) {
			if s.from(i+1, next+1, all) {
				return true
			}
			continue
		}
		s.found, s.foundLevel = slices.Clone(s.now), all.level
		if all.level == s.best {
			return true
		}
	}
	return false
}
