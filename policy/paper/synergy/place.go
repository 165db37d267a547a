package synergy

import (
	"slices"

	"fairbridge/policy"
	"fairbridge/policy/pool"
)

// placeJob finds a place for a job: on one node where it fits with what it aims at, else with less, else
// where others are set back to their share; on several where none has the GPUs.
func (t *table) placeJob(c *candidate) {
	a := c.GangAsk()
	isNarrow := a.MinNodes <= 1 && len(a.RequiredNodes) <= 1 && (a.PerNode == 0 || a.PerNode == a.GPUs.Count)
	hasRooms := false
	a.TypesToTry = t.orderTypes(c)
	for _, gpuType := range t.round.FreePool.TypesFor(&a) {
		if gpuType == "" || !isNarrow {
			continue
		}
		rooms := t.listRooms(c, gpuType)
		hasRooms = hasRooms || len(rooms) > 0
		if t.placeInRooms(c, gpuType, rooms) {
			return
		}
	}
	if !hasRooms && a.MaxNodes != 1 {
		t.placeWide(c)
	}
}

// placeInRooms places the job on one of the nodes. It reports whether it could.
func (t *table) placeInRooms(c *candidate, gpuType string, rooms []pool.Room) bool {
	for level := range t.countLevels() {
		if r := t.findTightest(c, rooms, level); r != nil && t.takeRoom(c, gpuType, *r, t.amountsAt(c, t.servers[r.NodeName], level)) {
			return true
		}
	}
	if t.How == byGreed || t.How == byShare {
		return false
	}
	for _, r := range rooms {
		s := t.servers[r.NodeName]
		need := t.amountsAt(c, s, t.countLevels()-1)
		if t.setBack(s, need) && t.takeRoom(c, gpuType, r, need) {
			return true
		}
	}
	return false
}

// countLevels is how many amounts are tried for a job, most first.
func (p *Policy) countLevels() int {
	if p.How == byGreed || p.How == byShare {
		return 1
	}
	return 3
}

// amountsAt are those tried for the job on a server: what it aims at, no more than its share of either, and
// the least with which it is no slower than with that.
func (t *table) amountsAt(c *candidate, s *server, level int) policy.Amounts {
	n := t.needOf(c.Entry, s.shape)
	switch {
	case n == nil:
		return c.Ask.Resized(c.WantedDeviceCount).Amounts()
	case t.How == byShare:
		return n.share
	case level == 0 && t.How == byPrices && s.shape == t.shapes[0]:
		return c.aim
	case level == 0:
		return n.demand
	case level == 1:
		return n.clipped
	}
	return n.floor()
}

// findTightest returns the room with the least left over in which the job fits at a level; nil: none.
func (t *table) findTightest(c *candidate, rooms []pool.Room, level int) *pool.Room {
	var best *pool.Room
	least := 0.
	for i := range rooms {
		s := t.servers[rooms[i].NodeName]
		idle := t.freeGPUs(s)
		need := t.amountsAt(c, s, level)
		left := pool.FreeAmounts(t.round.FreePool, s.node.Name)
		if !need.Fits(left) {
			continue
		}
		v := float64(idle)/float64(max(s.gpus, 1)) + part(left, s.shape)
		if best == nil || v < least {
			best, least = &rooms[i], v
		}
	}
	return best
}

// takeRoom takes the job's devices in a room.
func (t *table) takeRoom(c *candidate, gpuType string, r pool.Room, a policy.Amounts) bool {
	s := t.servers[r.NodeName]
	c.need = t.needOf(c.Entry, s.shape)
	return t.take(c, policy.Alloc{{Node: r.NodeName, Type: gpuType, Count: c.WantedDeviceCount}}, a)
}

// setBack sets open jobs on the server back to no more than their share, and then to the least with which
// they are no slower, until a newcomer has the room it needs. It reports whether it has.
func (t *table) setBack(s *server, needed policy.Amounts) bool {
	for _, level := range []int{1, 2} {
		for _, c := range s.open {
			if needed.Fits(pool.FreeAmounts(t.round.FreePool, s.node.Name)) {
				return true
			}
			if a := t.amountsAt(c, s, level); a != c.amounts && a.Fits(c.amounts) {
				t.change(c, a)
			}
		}
	}
	return needed.Fits(pool.FreeAmounts(t.round.FreePool, s.node.Name))
}

// placeWide places the job on several nodes, with its amounts in proportion to the GPUs there.
func (t *table) placeWide(c *candidate) {
	a := c.GangAsk()
	ask := a.Amounts()
	tries := []policy.Amounts{ask}
	if c.need != nil {
		tries = []policy.Amounts{c.aim, c.need.clipped, c.need.floor(), ask}
	}
	for _, amounts := range tries {
		on, err := pool.Fit(t.round.FreePool, c.Partition, a.WithAmounts(amounts))
		if err != nil || !amounts.Fits(ask) && amounts != ask && !t.leavesShares(on, amounts) || !ask.Fits(amounts) && !t.isFastEnough(c, on, amounts) {
			continue
		}
		if t.take(c, on, amounts) {
			return
		}
	}
	t.placeWideByGPUs(c)
}

// placeWideByGPUs places the job where there are the GPUs, and sets others back to make room.
func (t *table) placeWideByGPUs(c *candidate) {
	a := c.GangAsk()
	ask := a.Amounts()
	a.CPUs, a.MemMB = 0, 0
	on, err := pool.Fit(t.round.FreePool, c.Partition, a)
	if err != nil {
		return
	}
	for _, node := range on.Nodes() {
		here := on.CountOn(node)
		t.setBack(t.servers[node], policy.Amounts{CPUs: policy.PortionForNode(ask.CPUs, here, on.Count()), MemMB: policy.PortionForNode(ask.MemMB, here, on.Count())})
	}
	t.take(c, on, ask)
}

// leavesShares reports whether the nodes keep the share of the GPUs that stay free there.
func (t *table) leavesShares(on policy.Alloc, a policy.Amounts) bool {
	return !slices.ContainsFunc(on.Nodes(), func(node string) bool {
		s, here := t.servers[node], on.CountOn(node)
		part := policy.Amounts{CPUs: policy.PortionForNode(a.CPUs, here, on.Count()), MemMB: policy.PortionForNode(a.MemMB, here, on.Count())}
		return !part.Fits(t.freeToLend(s, t.freeGPUs(s)-here))
	})
}

// isFastEnough reports whether the job's owner accepts less than he asked, and the job is no slower on the
// devices than with its share of their nodes.
func (t *table) isFastEnough(c *candidate, on policy.Alloc, a policy.Amounts) bool {
	var share policy.Amounts
	for _, s := range on {
		part := t.servers[s.Node].node.ShareByGPUs(s.Count)
		share.CPUs, share.MemMB = share.CPUs+part.CPUs, share.MemMB+part.MemMB
	}
	return c.CPUScaling != nil && c.CPUScaling.AcceptsLess && c.CPUScaling.IsNoSlower(on.Count(), a, share)
}
