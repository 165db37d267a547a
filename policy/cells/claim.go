package cells

import "slices"

// Claim finds virtual cells for an opportunistic gang on the very devices that it runs on, and gives
// them to it. It reports whether it could.
func (k *Cluster) Claim(gangName string) bool {
	g := k.gangs[gangName]
	if g == nil || g.slots[0].virtual != nil {
		return false
	}
	ch := g.slots[0].devices[0].chain
	pool := g.tenant.pools[ch.name]
	if pool == nil {
		return false
	}
	was := slices.Clone(g.slots)
	for i, s := range g.slots {
		g.slots[i].virtual = pool.above(s.devices)
		if g.slots[i].virtual == nil || !k.useAll(&gang{slots: g.slots[i : i+1], tenant: g.tenant, priority: g.priority}, g.virtualOf) || !ch.isSafe() {
			k.useAll(g, nil)
			g.slots = was
			return false
		}
	}
	return true
}

// above returns free virtual devices that the physical ones can be bound to, in one cell of the
// smallest that is large enough; nil: there are none.
func (p *virtualPool) above(devices []*cell) []*cell {
	common := devices[0]
	for _, d := range devices {
		common = commonAncestor(common, d)
	}
	for _, root := range slices.Concat(p.roots[common.level:]...) {
		at := common
		for at.level < root.level {
			at = at.parent
		}
		if (at.counter == root || at.counter == nil && root.counter == nil && at.isFree()) && !at.isBad {
			if out := mirror(at, root, devices); out != nil {
				return out
			}
		}
	}
	return nil
}

// mirror returns the virtual devices of a cell that stand as the devices do in the physical one.
func mirror(physical, virtual *cell, devices []*cell) []*cell {
	like := map[*cell]*cell{}
	var pair func(p, v *cell)
	pair = func(p, v *cell) {
		like[p] = v
		free := slices.Clone(v.children)
		for _, c := range p.children {
			if c.counter != nil {
				free = slices.DeleteFunc(free, func(f *cell) bool { return f == c.counter })
			}
		}
		free = slices.DeleteFunc(free, func(f *cell) bool { return f.counter != nil })
		for _, c := range p.children {
			switch {
			case c.counter != nil && c.counter.parent == v:
				pair(c, c.counter)
			case c.counter == nil && len(free) > 0:
				pair(c, free[0])
				free = free[1:]
			}
		}
	}
	pair(physical, virtual)
	var out []*cell
	for _, d := range devices {
		v := like[d]
		if v == nil || v.priority != FreePriority {
			return nil
		}
		out = append(out, v)
	}
	return out
}
