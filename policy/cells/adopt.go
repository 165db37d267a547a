// Package cells divides a cluster into cells, and gives each tenant a virtual cluster of cells
// that it has whenever it wants them: as many GPUs as close together as if they were its own.
//
// A cell is a GPU, or so many buddies, cells of one size below it: a pair behind a switch, a node,
// a rack. A tenant's virtual cells are bound to physical ones while jobs use them, by buddy
// allocation, which never takes a large cell apart where a smaller one does. So all that is
// promised and not in use can always be carved from what is free. What is not in use runs
// opportunistic gangs, which leave when it is wanted.
//
// H. Zhao, Z. Han, Z. Yang, Q. Zhang, F. Yang, L. Zhou, M. Yang, F. C. M. Lau, Y. Wang, Y. Xiong,
// B. Wang, "HiveD: Sharing a GPU Cluster for Deep Learning with Guarantees", OSDI 2020. The
// rules are those of its published scheduler, quirks included.
//
// A Cluster is a value in memory that its caller changes by one call at a time; it knows
// no clock, no chance and no jobs of package policy.
package cells

import (
	"slices"
)

// Place is the devices of one task of a gang.
type Place struct {
	Node    string `json:"node"`
	Devices []int  `json:"devices"`
}

// Adoption is a gang that runs, as it is to be found again: after a restart, or by who builds a
// cluster anew each time.
type Adoption struct {
	Gang           string  `json:"gang"`
	VirtualCluster string  `json:"vc"`
	Chain          string  `json:"chain"`
	Places         []Place `json:"places"`
	// Virtual are the virtual devices, all tasks one after another, by their place among those that
	// the virtual cluster has in the chain; nil: it is opportunistic.
	Virtual []int `json:"virtual,omitempty"`
}

// Describe returns what Adopt needs to find a gang again.
func (k *Cluster) Describe(gangName string) (a Adoption, ok bool) {
	g := k.gangs[gangName]
	if g == nil {
		return a, false
	}
	a = Adoption{Gang: g.name, VirtualCluster: g.tenant.name, Chain: g.slots[0].devices[0].chain.name}
	for _, s := range g.slots {
		p := Place{Node: s.devices[0].nodes[0]}
		for _, d := range s.devices {
			p.Devices = append(p.Devices, d.index)
		}
		a.Places = append(a.Places, p)
		for _, v := range s.virtual {
			a.Virtual = append(a.Virtual, slices.Index(g.tenant.pools[a.Chain].all[0], v))
		}
	}
	return a, true
}

// Adopt puts a gang where it runs. It goes on as an opportunistic one where its virtual cells are not
// to be had. It reports whether its devices exist and no other gang uses them.
func (k *Cluster) Adopt(a Adoption) bool {
	t, ch := k.tenant(a.VirtualCluster), k.chains[a.Chain]
	if t == nil || ch == nil || len(a.Places) == 0 {
		return false
	}
	g := &gang{name: a.Gang, tenant: t, priority: MinPriority}
	for _, p := range a.Places {
		s := slot{devices: ch.devices(p), task: a.Gang}
		if s.devices == nil {
			return false
		}
		g.slots = append(g.slots, s)
	}
	g.takeVirtual(a, ch)
	k.start(g)
	if !ch.isSafe() {
		k.expel(g)
	}
	return true
}

// devices are the devices of a place that no gang uses; nil where one is missing.
func (c *chain) devices(p Place) []*cell {
	var out []*cell
	for _, index := range p.Devices {
		i := slices.IndexFunc(c.all[0], func(d *cell) bool { return d.index == index && d.nodes[0] == p.Node && d.user == nil })
		if i < 0 || slices.Contains(out, c.all[0][i]) {
			return nil
		}
		out = append(out, c.all[0][i])
	}
	return out
}

// takeVirtual gives a gang that is adopted its virtual devices, if all of them can be bound.
func (g *gang) takeVirtual(a Adoption, ch *chain) {
	pool := g.tenant.pools[ch.name]
	next, can := 0, pool != nil
	var all [][]*cell
	for _, s := range g.slots {
		var virtual []*cell
		for _, d := range s.devices {
			if can = can && next < len(a.Virtual) && a.Virtual[next] >= 0 && a.Virtual[next] < len(pool.all[0]); !can {
				return
			}
			v := pool.all[0][a.Virtual[next]]
			if v.priority != FreePriority || slices.Contains(virtual, v) || !canBind(d, v) {
				return
			}
			virtual = append(virtual, v)
			next++
		}
		all = append(all, virtual)
	}
	for i := range g.slots {
		g.slots[i].virtual = all[i]
	}
}

// Places returns the places of all tasks of the gang that was answered, in order of their devices.
func (a Answer) Places() []Place {
	var out []Place
	for _, s := range a.gang.slots {
		p := Place{Node: s.devices[0].nodes[0]}
		for _, d := range s.devices {
			p.Devices = append(p.Devices, d.index)
		}
		out = append(out, p)
	}
	return out
}

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
