package cells

import (
	"slices"
)

// Priorities of cells.
const (
	FreePriority          = -2 // no gang uses it
	OpportunisticPriority = -1 // of gangs outside all quotas
	MinPriority           = 0  // least of gangs that use their tenant's cells
	MaxPriority           = 1000
)

// useState is what a physical device is used for.
type useState int

const (
	stateFree      useState = iota
	stateUsed               // by a gang
	stateReserving          // by a gang that is to leave, and another has it next
	stateReserved           // free, and a gang has it next
)

// cell is a physical or virtual cell.
type cell struct {
	chain    *chain
	level    int // 0: a device
	parent   *cell
	children []*cell
	counter  *cell       // the virtual cell of a physical one or the other way; nil: not bound
	priority int         // the highest of its devices
	used     map[int]int // devices used by priority
	devices  int

	// of physical cells
	nodes   []string // that it spans, in tree order
	index   int      // of a device on its node
	isBad   bool     // a device in it is bad
	isSplit bool     // cells below it were given out by themselves
	pinned  bool
	state   useState // of a device
	user    *gang    // of a device
	next    *gang    // of a device: the gang that has it reserved

	// of virtual cells
	owner *tenant
	root  *cell // the cell of the quota that it is in
}

// newTree makes a cell of the level and all below it.
func newTree(c *chain, level int) *cell {
	n := &cell{chain: c, level: level, priority: FreePriority, used: map[int]int{}, devices: c.deviceCounts[level]}
	if level == 0 {
		return n
	}
	for range c.fanout[level] {
		child := newTree(c, level-1)
		child.parent = n
		n.children = append(n.children, child)
	}
	return n
}

// walk calls f for the cell and all below it, upper ones first.
func (c *cell) walk(f func(*cell)) {
	f(c)
	for _, child := range c.children {
		child.walk(f)
	}
}

// setPriority sets the priority of a device; those above have the highest of theirs.
func (c *cell) setPriority(p int) {
	c.priority = p
	for up := c.parent; up != nil; up = up.parent {
		highest := FreePriority
		for _, child := range up.children {
			highest = max(highest, child.priority)
		}
		if up.priority == highest {
			return
		}
		up.priority = highest
	}
}

// countUse counts a device at the priority, in all cells above it too.
func (c *cell) countUse(p, change int) {
	for ; c != nil; c = c.parent {
		if c.used[p] += change; c.used[p] == 0 {
			delete(c.used, p)
		}
	}
}

// use gives a device the priority, and free takes it back.
func (c *cell) use(p int) {
	c.setPriority(p)
	c.countUse(p, 1)
}

func (c *cell) free() {
	c.countUse(c.priority, -1)
	c.setPriority(FreePriority)
}

// join binds two cells to each other; part undoes it.
func join(physical, virtual *cell) { physical.counter, virtual.counter = virtual, physical }

func (c *cell) part() { c.counter.counter, c.counter = nil, nil }

// bind binds devices to each other, and those above them as far as they are not bound yet.
func bind(physical, virtual *cell) {
	for virtual != nil && virtual.counter == nil {
		join(physical, virtual)
		physical, virtual = physical.parent, virtual.parent
	}
}

// canBind reports whether the devices are bound to each other, or can be: nothing above them is bound
// to something else.
func canBind(physical, virtual *cell) bool {
	for {
		switch {
		case physical.counter == virtual:
			return true
		case physical.counter != nil || virtual.counter != nil:
			return false
		case virtual.parent == nil:
			return physical.isFree()
		}
		physical, virtual = physical.parent, virtual.parent
	}
}

// unbind takes a device from its virtual cell, and so upwards while no cell below is bound.
func unbind(physical *cell) {
	for virtual := physical.counter; virtual != nil && !virtual.counter.pinned; virtual = virtual.parent {
		virtual.part()
		if p := virtual.parent; p == nil || slices.ContainsFunc(p.children, func(c *cell) bool { return c.counter != nil }) {
			return
		}
	}
}

// firstUnbound is the first of the cells that is not bound; nil: none.
func firstUnbound(list []*cell) *cell {
	for _, c := range list {
		if c.counter == nil {
			return c
		}
	}
	return nil
}

// isFree reports whether the physical cell is in the free list, or a cell above it is.
func (c *cell) isFree() bool {
	for ; ; c = c.parent {
		if c.counter != nil || c.isSplit {
			return false
		}
		if c.parent == nil || c.parent.isSplit {
			return true
		}
	}
}

// commonAncestor is the lowest cell that both are in; they are of one tree.
func commonAncestor(a, b *cell) *cell {
	for a != b {
		if a.level <= b.level {
			a = a.parent
		} else {
			b = b.parent
		}
	}
	return a
}

// remove returns the list without the cell. The last of the list takes its place: so the published
// scheduler does, and the order decides which cell is taken next.
func remove(list []*cell, c *cell) []*cell {
	i := slices.Index(list, c)
	if i < 0 {
		return list
	}
	last := len(list) - 1
	list[i] = list[last]
	list[last] = nil
	return list[:last]
}

// SetDeviceBad says that nothing may use one device of a node: it is broken, or a job has it that
// does not leave.
func (k *Cluster) SetDeviceBad(node string, index int) {
	for _, d := range k.devicesOf(node) {
		if d.index == index {
			k.setBad(d)
		}
	}
}

// CanSpare reports whether all that virtual clusters are due is still there when the place of
// the answer is taken for good.
func (k *Cluster) CanSpare(a Answer) bool {
	taken := map[*cell]bool{}
	a.gang.eachDevice(func(d, _ *cell) { taken[d] = true })
	for _, c := range k.chains {
		whole := make([]int, len(c.types))
		for _, top := range c.all[c.top()] {
			top.countWhole(taken, whole)
		}
		spare := 0
		for l := c.top(); l >= 0; l-- {
			if spare += whole[l] - c.due[l]; spare < 0 && c.due[l] > 0 {
				return false
			}
			spare = max(spare, 0) * c.fanout[l]
		}
	}
	return true
}

// countWhole counts, by level, the largest cells that are free, healthy and without a taken device.
func (c *cell) countWhole(taken map[*cell]bool, whole []int) {
	if c.counter != nil {
		return
	}
	usable := c.isFree() && !c.isBad
	if usable {
		c.walk(func(d *cell) { usable = usable && !taken[d] })
	}
	if usable {
		whole[c.level]++
		return
	}
	for _, child := range c.children {
		child.countWhole(taken, whole)
	}
}

// FreeDevices returns the devices of a node of the chain that no gang uses, those of cells that are used in part first: who does not
// know which device it has is thought to have the first of them.
func (k *Cluster) FreeDevices(chainName, node string) []int {
	ch := k.chains[chainName]
	if ch == nil {
		return nil
	}
	var free []*cell
	for _, d := range ch.all[0] {
		if d.nodes[0] == node && d.user == nil && d.priority == FreePriority {
			free = append(free, d)
		}
	}
	slices.SortStableFunc(free, func(a, b *cell) int { return a.siblingsUsed() - b.siblingsUsed() })
	var out []int
	for _, d := range free {
		out = append(out, d.index)
	}
	return out
}

// siblingsUsed is the lowest level at which a device has a neighbour in use.
func (c *cell) siblingsUsed() int {
	level := 0
	for p := c.parent; p != nil && len(p.used) == 0; p = p.parent {
		level++
	}
	return level
}
