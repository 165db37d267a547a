package cells

import (
	"slices"
)

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

// Type says what a cell consists of. A type that no other is made from is a chain; one that
// has no Type of its own is a kind of device.
type Type struct {
	Child  string // type of the cells below
	Count  int    // how many of them, at least 1
	IsNode bool   // it is a whole machine
}

// Physical is a cell that exists, with those below it. Cells below a node are not listed: they
// are the devices of the node in tree order, as many at a time as the type says.
type Physical struct {
	Type    string
	Node    string     // of a cell within a node, else ""
	Devices []int      // indexes of the node's devices in tree order
	Cells   []Physical // of a cell above the node
	Pinned  string     // name by which a virtual cluster has this very cell; "": none
	// PinnedDevices are single devices of the node that virtual clusters have, by name.
	PinnedDevices map[string]int
}

// Quota is a number of cells of a virtual cluster.
type Quota struct {
	Chain  string // type at the top
	Type   string // type of the cells, Chain or a type below it
	Number int
}

// VirtualCluster is what one tenant has.
type VirtualCluster struct {
	Name   string
	Cells  []Quota
	Pinned []string // names of pinned cells
}

// Config is a cluster and who has what of it.
type Config struct {
	Types           map[string]Type
	Physical        []Physical
	VirtualClusters []VirtualCluster
	// ChainOrder are the chains of a device type in the order in which they are tried; a type
	// that it does not have: as Physical has them.
	ChainOrder map[string][]string
	// SmallCellsFirst makes a gang use the smaller of cells that are as full as each other, so that
	// large ones stay whole for those who need them. The published scheduler has them in order of its
	// lists, the large ones first.
	SmallCellsFirst bool
}

// levels are the types of a chain, upwards from the device.
func (c *Config) levels(chain string) []string {
	var down []string
	for name := chain; len(down) <= len(c.Types); {
		down = append(down, name)
		t, ok := c.Types[name]
		if !ok {
			break
		}
		name = t.Child
	}
	up := make([]string, len(down))
	for i, name := range down {
		up[len(down)-1-i] = name
	}
	return up
}

// Fits reports whether the cluster has room for the cells of a chain that all virtual clusters have
// together, pinned ones aside. New says the same, but makes all cells for it.
func (c *Config) Fits(chainName string) bool {
	ch, tops := newChain(c, chainName), 0
	for _, p := range c.Physical {
		if p.Type == chainName {
			tops++
		}
	}
	for _, v := range c.VirtualClusters {
		for _, q := range v.Cells {
			if q.Chain != chainName {
				continue
			}
			level := ch.levelOf(q.Type)
			if level < 0 || q.Number < 0 {
				return false
			}
			ch.due[level] += q.Number
		}
	}
	level, _ := ch.lacking(tops)
	return level < 0
}
