package sia

import (
	"cmp"
	"slices"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/pool"
)

// place finds devices for what was chosen: jobs keep theirs where their configuration is as it
// was, the others go where there is room, the largest first; where that is scattered over
// nodes, as few jobs as that takes make room and go elsewhere. A job for which nothing was
// chosen or found runs on unless its devices are another's. The pool is left as it was.
func (r *round) place(candidates []*candidate) {
	mark := r.FreePool.UndoMark()
	defer r.FreePool.Rewind(mark)
	var settled, moving []*candidate
	for _, c := range candidates {
		if c.HoldsGPUs() {
			pool.GiveBackHeld(r.FreePool, c.Job)
		}
	}
	for _, c := range candidates {
		switch {
		case c.chosen < 0:
		case c.options[c.chosen].isPresent && r.take(c, c.On):
			settled = append(settled, c)
		default:
			moving = append(moving, c)
		}
	}
	slices.SortStableFunc(settled, compareLargest)
	slices.SortStableFunc(moving, compareLargest)
	for len(moving) > 0 {
		c := moving[0]
		moving = moving[1:]
		if r.findAndTake(c, r.compactAsk(c)) {
			continue
		}
		if made := r.makeRoom(c, settled); made != nil {
			settled = slices.DeleteFunc(settled, func(s *candidate) bool { return slices.Contains(made, s) })
			moving = append(moving, made...)
			slices.SortStableFunc(moving, compareLargest)
		} else if !c.IsElastic() {
			r.findAndTake(c, r.ask(c))
		}
	}
	for _, c := range candidates {
		if len(c.alloc) == 0 && c.HoldsGPUs() {
			c.isOusted = pool.TakeHeld(r.FreePool, c.Job) != nil
		}
	}
}

func compareLargest(a, b *candidate) int {
	return cmp.Or(cmp.Compare(b.options[b.chosen].devices, a.options[a.chosen].devices), engine.CompareTenure(a.Entry, b.Entry))
}

func (r *round) giveBack(c *candidate, on policy.Alloc) {
	r.FreePool.GiveBack(on, c.Ask.CPUs, c.Ask.MemMB)
}

// take takes the devices for the job, and reports whether they were free.
func (r *round) take(c *candidate, on policy.Alloc) bool {
	a := r.ask(c)
	if r.FreePool.Take(on, a.CPUs, a.MemMB) != nil {
		return false
	}
	c.alloc = on
	return true
}

// ask is what is to be placed.
func (r *round) ask(c *candidate) policy.Ask {
	o := c.options[c.chosen]
	a := c.AskWithLimit().Resized(o.devices)
	a.GPUs.Type = r.kinds[o.kind].gpuType
	return a
}

// compactAsk is the ask on as few nodes as that takes: part of a node on one, whole nodes on
// so many, unless the job's owner wants it otherwise.
func (r *round) compactAsk(c *candidate) policy.Ask {
	a := r.ask(c)
	if n := r.kinds[c.options[c.chosen].kind].fewestNodes(a.GPUs.Count); a.PerNode == 0 && a.MinNodes <= n {
		a.MaxNodes = n
	}
	return a
}

func (r *round) findAndTake(c *candidate, a policy.Ask) bool {
	rooms := r.FreePool.ListRooms(c.Partition, a)
	if c.HoldsGPUs() { // on its own nodes, if that goes
		own := slices.DeleteFunc(slices.Clone(rooms), func(room pool.Room) bool { return c.On.CountOn(room.NodeName) == 0 })
		if on, err := pool.FitInRooms(r.FreePool, a, own); err == nil && r.take(c, on) {
			return true
		}
	}
	on, err := pool.FitInRooms(r.FreePool, a, rooms)
	return err == nil && r.take(c, on)
}

// makeRoom takes devices for a job where settled ones on part of a node make room, as few of
// them as that takes, and returns those; nil: no such place is found.
func (r *round) makeRoom(c *candidate, settled []*candidate) []*candidate {
	o := c.options[c.chosen]
	k := &r.kinds[o.kind]
	mark := r.FreePool.UndoMark()
	var made []*candidate
	for range k.fewestNodes(o.devices) {
		most := r.cheapestNode(c, settled, made, min(o.devices, k.perNode))
		if most == nil {
			break
		}
		for _, s := range most {
			r.giveBack(s, s.alloc)
		}
		made = append(made, most...)
		if r.findAndTake(c, r.compactAsk(c)) {
			for _, s := range made {
				s.alloc = nil
			}
			return made
		}
	}
	r.FreePool.Rewind(mark)
	return nil
}

// cheapestNode returns the settled jobs that would have to leave a node so that so many
// devices are free there, of the node where they are fewest; nil: there is none, or one has
// the room already.
func (r *round) cheapestNode(c *candidate, settled, gone []*candidate, devices int) []*candidate {
	k := &r.kinds[c.options[c.chosen].kind]
	var best []*candidate
	for i := range r.Nodes {
		free := r.FreePool.FreeOnNode(r.Nodes[i].Name, k.gpuType)
		var leaving []*candidate
		for _, s := range settled {
			if free < devices && !slices.Contains(gone, s) && isWithin(s.alloc, r.Nodes[i].Name, k.gpuType) && s.alloc.Count() < devices {
				free += s.alloc.Count()
				leaving = append(leaving, s)
			}
		}
		if free >= devices && len(leaving) > 0 && (best == nil || len(leaving) < len(best)) {
			best = leaving
		}
	}
	return best
}

// isWithin reports whether an allocation is wholly on the node and of the type.
func isWithin(on policy.Alloc, node, gpuType string) bool {
	return len(on) == 1 && on[0].Node == node && on[0].Type == gpuType
}
