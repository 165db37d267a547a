package cells

import (
	"cmp"
	"slices"
)

// branch is a virtual cell that is not bound yet, with those below it that a gang needs.
type branch struct {
	*cell
	below []*branch
}

// branchesOf returns what has to be bound for the devices: cells of quotas, and by parent those
// below a cell that is bound already.
func branchesOf(devices []*cell) (roots []*branch, inner [][]*branch) {
	made := map[*cell]*branch{}
	for _, d := range devices {
		if d.counter != nil {
			continue
		}
		var child *branch
		for c := d; c != nil && c.counter == nil; c = c.parent {
			b, seen := made[c]
			if !seen {
				b = &branch{cell: c}
				made[c] = b
			}
			if child != nil {
				b.below = append(b.below, child)
			}
			if child = b; seen {
				break
			}
			switch {
			case c.parent == nil:
				roots = append(roots, b)
			case c.parent.counter != nil:
				inner = addToGroup(inner, b)
			}
		}
	}
	return roots, inner
}

// addToGroup puts a branch beside those with the same parent.
func addToGroup(groups [][]*branch, b *branch) [][]*branch {
	for i, g := range groups {
		if g[0].parent == b.parent {
			groups[i] = append(g, b)
			return groups
		}
	}
	return append(groups, []*branch{b})
}

// mapper binds virtual devices to physical ones, on paper.
type mapper struct {
	chain     *chain
	free      [][]*cell // copy of the free list
	due       []int     // copy of what the quotas are due
	suggested func(node string) bool
	found     map[*cell]*cell // physical device of each virtual one
}

// mapDevices finds a physical device for each of the virtual ones; nil: there are none without bad
// nodes or those that are not suggested.
func mapDevices(c *chain, devices []*cell, suggested func(string) bool) map[*cell]*cell {
	m := &mapper{chain: c, free: c.copyFree(), due: slices.Clone(c.due), suggested: suggested, found: map[*cell]*cell{}}
	roots, inner := branchesOf(devices)
	for _, b := range roots {
		if !m.buddy(b, m.lowestFree(b.level)) && !m.relaxed(b) {
			return nil
		}
		m.due[b.level]--
	}
	for _, group := range inner {
		if m.match(group, group[0].parent.counter.children) == nil {
			return nil
		}
	}
	for _, d := range devices {
		if d.counter != nil {
			m.found[d] = d.counter
		}
	}
	return m.found
}

// lowestFree is the lowest level from the given one with a free cell; that above the top: none.
func (m *mapper) lowestFree(level int) int {
	for level < len(m.free) && len(m.free[level]) == 0 {
		level++
	}
	return level
}

// buddy takes a cell of the branch's level, splitting one of a higher level where it must.
func (m *mapper) buddy(b *branch, level int) bool {
	switch {
	case level >= len(m.free):
		return false
	case level == b.level:
		return m.takeMatch(b)
	}
	for _, c := range m.usable(m.free[level]) {
		m.free[level-1] = append(m.free[level-1], c.children...)
		if m.buddy(b, level-1) {
			m.free[level] = remove(m.free[level], c)
			return true
		}
		m.free[level-1] = nil
	}
	return false
}

// takeMatch takes a free cell of the branch's own level.
func (m *mapper) takeMatch(b *branch) bool {
	picked := m.match([]*branch{b}, m.free[b.level])
	if picked == nil {
		return false
	}
	m.free[b.level] = remove(m.free[b.level], picked[0])
	return true
}

// relaxed splits cells above those that buddy would, as many as may be without what is due to all
// quotas being in danger.
func (m *mapper) relaxed(b *branch) bool {
	spare := m.splittable()
	for l := b.level + 1; l < len(m.free); l++ {
		number := min(len(m.free[l]), spare[l])
		if number <= 0 {
			continue
		}
		var split []*cell
		for range number {
			split = append(split, m.free[l][0])
			m.free[l] = remove(m.free[l], m.free[l][0])
		}
		for range l - b.level {
			var below []*cell
			for _, c := range split {
				below = append(below, c.children...)
			}
			split = below
		}
		m.free[b.level] = append(split, m.free[b.level]...)
		if m.takeMatch(b) {
			return true
		}
	}
	return false
}

// splittable is how many cells of each level may be split.
func (m *mapper) splittable() []int {
	out := make([]int, len(m.free))
	for l := len(m.free) - 1; l >= 0; l-- {
		out[l] = len(m.free[l]) - m.due[l]
		if l+1 < len(m.free) {
			out[l] += out[l+1] * m.chain.fanout[l+1]
		}
	}
	return out
}

// usable are the cells that virtual ones can be bound to, those with fewest opportunistic devices
// first.
func (m *mapper) usable(list []*cell) []*cell {
	var out []*cell
	for _, c := range list {
		if c.counter == nil && (len(c.nodes) > 1 || !c.isBad) && slices.ContainsFunc(c.nodes, m.suggested) {
			out = append(out, c)
		}
	}
	slices.SortStableFunc(out, func(a, b *cell) int {
		return cmp.Compare(a.used[OpportunisticPriority], b.used[OpportunisticPriority])
	})
	return out
}

// match gives each branch one of the cells, in which all below it find theirs; nil: it cannot.
func (m *mapper) match(branches []*branch, list []*cell) []*cell {
	usable := m.usable(list)
	if len(usable) < len(branches) {
		return nil
	}
	return m.matchFrom(branches, usable, nil)
}

func (m *mapper) matchFrom(branches []*branch, list, picked []*cell) []*cell {
	if len(picked) == len(branches) {
		return picked
	}
	b := branches[len(picked)]
	for _, c := range list {
		if slices.Contains(picked, c) || !m.fits(b, c) {
			continue
		}
		if all := m.matchFrom(branches, list, append(slices.Clip(picked), c)); all != nil {
			return all
		}
	}
	return nil
}

// fits reports whether all below the branch find their places in the cell.
func (m *mapper) fits(b *branch, c *cell) bool {
	if b.level == 0 {
		m.found[b.cell] = c
		return true
	}
	return m.match(b.below, c.children) != nil
}
