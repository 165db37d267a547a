package cells

import "slices"

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
