package cells

// allocate takes a physical cell off the free list for a cell of the tenant's quota, which it
// is bound to.
func (k *books) allocate(c *cell, t *tenant) {
	ch := c.chain
	t.due[ch][c.level]--
	ch.due[c.level]--
	ch.left[c.level]--
	highest := ch.take(c)
	p := c.parent
	for l := c.level + 1; l <= highest; l++ {
		ch.left[l]--
		if p.isBad {
			ch.badFree[l] = remove(ch.badFree[l], p)
		} else {
			k.doom(ch, l)
		}
		p = p.parent
	}
	if c.isBad {
		c.allocateBad()
	} else {
		k.doom(ch, c.level)
	}
	fewer := len(c.children)
	for l := c.level - 1; l >= 0; l-- {
		ch.left[l] -= fewer
		k.doom(ch, l)
		fewer *= ch.fanout[l]
	}
}

// release gives back a physical cell that was allocated.
func (k *books) release(c *cell, t *tenant) {
	ch := c.chain
	t.due[ch][c.level]++
	ch.due[c.level]++
	ch.left[c.level]++
	highest := ch.giveBack(c)
	p := c.parent
	for l := c.level + 1; l <= highest; l++ {
		ch.left[l]++
		if p.isBad {
			ch.badFree[l] = append(ch.badFree[l], p)
		} else {
			k.undoom(ch, l)
		}
		p = p.parent
	}
	if c.isBad {
		c.releaseBad()
		k.doom(ch, c.level)
	} else {
		k.undoom(ch, c.level)
	}
	more := len(c.children)
	for l := c.level - 1; l >= 0; l-- {
		ch.left[l] += more
		k.undoom(ch, l)
		more *= ch.fanout[l]
	}
}

// allocateBad takes a bad cell and those in it off the bad free ones, and binds them, so that
// searches in the virtual cluster see that they are bad.
func (c *cell) allocateBad() {
	c.chain.badFree[c.level] = remove(c.chain.badFree[c.level], c)
	if c.counter == nil {
		join(c, firstUnbound(c.parent.counter.children))
	}
	for _, child := range c.children {
		if child.isBad {
			child.allocateBad()
		}
	}
}

// releaseBad undoes allocateBad.
func (c *cell) releaseBad() {
	c.chain.badFree[c.level] = append(c.chain.badFree[c.level], c)
	if c.counter != nil {
		c.part()
	}
	for _, child := range c.children {
		if child.isBad {
			child.releaseBad()
		}
	}
}

// useDevice gives a device to a tenant at the priority; virtual is nil for opportunistic use.
func (k *books) useDevice(device, virtual *cell, priority int, t *tenant) {
	device.chain.view.forgetFailures()
	if virtual == nil {
		device.use(OpportunisticPriority)
		return
	}
	virtual.use(priority)
	device.use(priority)
	isNew := virtual.root.counter == nil
	if device.counter == nil { // it may have been bound since it is bad
		bind(device, virtual)
	}
	root := virtual.root.counter
	if isNew {
		k.allocate(root, t)
	}
	t.doomed[root.chain][root.level] = remove(t.doomed[root.chain][root.level], root) // part of it may be healthy
}

// freeDevice takes a device from the tenant that uses it.
func (k *books) freeDevice(device *cell, t *tenant) {
	device.chain.view.forgetFailures()
	if device.priority >= MinPriority { // else a cell may be bound to it only since it is bad
		virtual := device.counter
		virtual.free()
		root := virtual.root.counter
		if !device.isBad {
			unbind(device)
		}
		if !root.pinned && virtual.root.priority < MinPriority {
			k.release(root, t)
		}
	}
	device.free()
}
