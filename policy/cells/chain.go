package cells

import "slices"

// chain is all cells below one type at the top. Lists are by level, from the device upwards.
type chain struct {
	name         string
	types        []string
	fanout       []int // cells of the level below in one; 0 for devices
	deviceCounts []int // devices in one
	nodeLevel    int   // of a machine; that of the top where all are smaller
	all          [][]*cell
	freeList     [][]*cell
	badFree      [][]*cell // bad cells that are free, in the free list or below one of it
	left         []int     // cells that are free, likewise
	due          []int     // cells of all quotas that are not bound
	view         view      // its nodes, for opportunistic gangs
	smallFirst   bool      // see Config.SmallCellsFirst
}

func newChain(c *Config, name string) *chain {
	types := c.levels(name)
	n := len(types)
	ch := &chain{name: name, types: types, smallFirst: c.SmallCellsFirst, fanout: make([]int, n), deviceCounts: make([]int, n), nodeLevel: n - 1,
		all: make([][]*cell, n), freeList: make([][]*cell, n), badFree: make([][]*cell, n), left: make([]int, n), due: make([]int, n)}
	ch.deviceCounts[0] = 1
	for l := 1; l < n; l++ {
		t := c.Types[types[l]]
		ch.fanout[l] = t.Count
		ch.deviceCounts[l] = t.Count * ch.deviceCounts[l-1]
		if t.IsNode {
			ch.nodeLevel = l
		}
	}
	return ch
}

// levelOf is the level of a type; -1: it has none.
func (c *chain) levelOf(typ string) int { return slices.Index(c.types, typ) }

func (c *chain) top() int { return len(c.types) - 1 }

// take removes a cell from the free list and splits those above it. It returns the highest
// level that lost a free cell.
func (c *chain) take(n *cell) int {
	for {
		p := n.parent
		splits := p != nil && !p.isSplit
		if splits {
			c.freeList[n.level] = append(c.freeList[n.level], p.children...)
			p.isSplit = true
		}
		c.freeList[n.level] = remove(c.freeList[n.level], n)
		if !splits {
			return n.level
		}
		n = p
	}
}

// giveBack puts a cell into the free list and merges it with its buddies while all of them are
// free. It returns the highest level that won a free cell.
func (c *chain) giveBack(n *cell) int {
	for n.parent != nil && c.areBuddiesFree(n) {
		for _, buddy := range n.parent.children {
			c.freeList[n.level] = remove(c.freeList[n.level], buddy)
		}
		n = n.parent
		n.isSplit = false
	}
	c.freeList[n.level] = append(c.freeList[n.level], n)
	return n.level
}

func (c *chain) areBuddiesFree(n *cell) bool {
	for _, buddy := range n.parent.children {
		if buddy != n && !slices.Contains(c.freeList[n.level], buddy) {
			return false
		}
	}
	return true
}

// healthyLeft is how many healthy cells of the level are free.
func (c *chain) healthyLeft(level int) int { return c.left[level] - len(c.badFree[level]) }

// copyFree is a copy of the free list that a search may change.
func (c *chain) copyFree() [][]*cell {
	out := make([][]*cell, len(c.freeList))
	for i, l := range c.freeList {
		out[i] = slices.Clone(l)
	}
	return out
}

// isSafe reports whether all that the quotas are still due can be carved from what is free.
func (c *chain) isSafe() bool {
	spare := 0
	for l := c.top(); l >= 0; l-- {
		if spare += len(c.freeList[l]) - c.due[l]; spare < 0 {
			return false
		}
		spare *= c.fanout[l]
	}
	return true
}
