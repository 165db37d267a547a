package cells

// SetBad says that nothing runs on a node any more, as far as it is not there yet. Cells with it
// in them are bad.
func (k *Cluster) SetBad(node string) {
	if k.badNodes[node] {
		return
	}
	k.badNodes[node] = true
	for _, d := range k.devicesOf(node) {
		k.setBad(d)
	}
}

// SetHealthy says that a bad node is healthy again.
func (k *Cluster) SetHealthy(node string) {
	if !k.badNodes[node] {
		return
	}
	delete(k.badNodes, node)
	for _, d := range k.devicesOf(node) {
		k.setHealthy(d)
	}
}

// devicesOf are the devices of a node, in all chains.
func (k *Cluster) devicesOf(node string) []*cell {
	var out []*cell
	for _, deviceType := range k.deviceTypes {
		for _, ch := range k.chainOrder[deviceType] {
			for _, d := range ch.all[0] {
				if d.nodes[0] == node {
					out = append(out, d)
				}
			}
		}
	}
	return out
}

// setBad makes a cell bad, and those above it.
func (k *books) setBad(c *cell) {
	c.chain.view.forgetFailures()
	if c.isBad {
		return
	}
	c.isBad = true
	if c.parent != nil {
		k.setBad(c.parent)
	}
	switch {
	case c.isFree():
		c.chain.badFree[c.level] = append(c.chain.badFree[c.level], c)
		k.doom(c.chain, c.level)
	case c.counter == nil && !c.isSplit:
		join(c, firstUnbound(c.parent.counter.children))
	}
}

// setHealthy makes a cell healthy, and those above it in which no cell is bad any more.
func (k *books) setHealthy(c *cell) {
	c.chain.view.forgetFailures()
	if !c.isBad {
		return
	}
	c.isBad = false
	switch {
	case c.isFree():
		c.chain.badFree[c.level] = remove(c.chain.badFree[c.level], c)
		k.undoom(c.chain, c.level)
	case c.counter != nil && !c.pinned && c.priority < MinPriority: // bound only since it was bad
		k.unbindHealed(c)
	}
	if c.parent == nil {
		return
	}
	for _, buddy := range c.parent.children {
		if buddy.isBad {
			return
		}
	}
	k.setHealthy(c.parent)
}

func (k *books) unbindHealed(c *cell) {
	virtual := c.counter
	c.part()
	if virtual.parent == nil {
		t := virtual.owner
		t.doomed[c.chain][c.level] = remove(t.doomed[c.chain][c.level], c)
		k.release(c, t)
	}
}

// doom binds bad cells to cells that no gang uses of virtual clusters which are due more than are
// free and healthy, so that they see what they lost.
func (k *books) doom(ch *chain, level int) {
	for _, t := range k.tenants {
		for t.due[ch] != nil && t.due[ch][level] > ch.healthyLeft(level) {
			virtual := firstUnbound(t.rootsOf(ch, level))
			if virtual == nil || len(ch.badFree[level]) == 0 {
				break
			}
			c := ch.badFree[level][0]
			join(c, virtual)
			t.doomed[ch][level] = append(t.doomed[ch][level], c)
			k.allocate(c, t)
		}
	}
}

// undoom unbinds bad cells of virtual clusters for which there are healthy ones again.
func (k *books) undoom(ch *chain, level int) {
	for _, t := range k.tenants {
		for t.due[ch] != nil && len(t.doomed[ch][level]) > 0 && t.due[ch][level] < ch.healthyLeft(level) {
			c := t.doomed[ch][level][0]
			c.part()
			t.doomed[ch][level] = remove(t.doomed[ch][level], c)
			k.release(c, t)
		}
	}
}

// rootsOf are the cells of the tenant's quota of the level, without pinned ones.
func (t *tenant) rootsOf(ch *chain, level int) []*cell {
	if p := t.pools[ch.name]; p != nil {
		return p.roots[level]
	}
	return nil
}
