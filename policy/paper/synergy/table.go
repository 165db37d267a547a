package synergy

import (
	"cmp"
	"slices"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/pool"
	"fairbridge/policy/solve/bundles"
)

// table is a round under way: the servers and who is placed where.
type table struct {
	*Policy
	round     *engine.Round
	servers   map[string]*server // by node
	shapes    []shape            // of the servers, each once
	needs     map[needKey]*need
	newcomers map[string]bool // nodes on which a job was newly placed

	demandByType map[string]int // see engine.Round.CountTypeDemand
}

// server is a node.
type server struct {
	node *policy.Node
	shape
	open []*candidate // jobs that are only there and whose amounts are not settled
}

// needKey identifies jobs with the same need.
type needKey struct {
	known *policy.CPUScaling
	gpus  int
	ask   policy.Amounts
	shape shape
}

func newTable(p *Policy, r *engine.Round) *table {
	t := &table{Policy: p, round: r, servers: make(map[string]*server, len(r.Nodes)), needs: map[needKey]*need{}, newcomers: map[string]bool{}}
	for i := range r.Nodes {
		s := &server{node: &r.Nodes[i], shape: shapeOf(&r.Nodes[i])}
		t.servers[s.node.Name] = s
		if s.node.DownReason == "" && !slices.Contains(t.shapes, s.shape) {
			t.shapes = append(t.shapes, s.shape)
		}
	}
	return t
}

// needOf is what the job needs on nodes of a shape; nil: it gets what it asks.
func (t *table) needOf(e *engine.Entry, at shape) *need {
	if !isTunable(e) {
		return nil
	}
	k := needKey{e.CPUScaling, e.WantedDeviceCount, e.Ask.Amounts(), at}
	n, known := t.needs[k]
	if !known {
		n = newNeed(e, at)
		t.needs[k] = n
	}
	return n
}

// place finds places for the chosen jobs, with what they get at first.
func (t *table) place(line []*engine.Entry, chosen map[*engine.Entry]*candidate) {
	var waiting, all []*candidate
	for _, e := range line {
		c := chosen[e]
		switch {
		case c == nil:
			continue
		case e.HoldsGPUs():
			t.keep(c)
		default:
			if len(t.shapes) > 0 {
				c.need = t.needOf(e, t.shapes[0])
			}
			waiting = append(waiting, c)
		}
		all = append(all, c)
	}
	t.aim(all)
	if t.How == byTuning || t.How == byPrices {
		slices.SortStableFunc(waiting, compareWidest)
	}
	for _, c := range waiting {
		if c.UnplaceableReason == "" {
			t.placeJob(c)
		}
	}
}

// compareWidest puts those first that are hardest to place.
func compareWidest(a, b *candidate) int {
	return cmp.Or(cmp.Compare(b.WantedDeviceCount, a.WantedDeviceCount), cmp.Compare(b.aim.CPUs, a.aim.CPUs), cmp.Compare(b.aim.MemMB, a.aim.MemMB))
}

// keep leaves a running job where it is, with its amounts open where it may be restarted.
func (t *table) keep(c *candidate) {
	c.on, c.amounts = c.On, c.HeldAmounts()
	nodes := c.On.Nodes()
	if !t.Retune || len(nodes) != 1 || t.servers[nodes[0]] == nil || c.On.Count() != c.WantedDeviceCount || t.How == byGreed || t.How == byShare {
		return
	}
	s := t.servers[nodes[0]]
	if c.need = t.needOf(c.Entry, s.shape); c.need != nil {
		c.server = s
		s.open = append(s.open, c)
	}
}

// aim says what each job would best have, to begin with.
func (t *table) aim(all []*candidate) {
	for _, c := range all {
		switch c.aim = c.Ask.Resized(c.WantedDeviceCount).Amounts(); {
		case c.need == nil:
		case t.How == byShare:
			c.aim = c.need.share
		default:
			c.aim = c.need.demand
		}
	}
	if t.How == byPrices {
		t.aimByPrices(all)
	}
}

// aimByPrices chooses what the jobs get together as if all nodes were one: the sum of their speeds is the
// greatest there is, or nearly.
func (t *table) aimByPrices(all []*candidate) {
	var left [2]float64
	for i := range t.round.Nodes {
		free := pool.FreeAmounts(t.round.FreePool, t.round.Nodes[i].Name)
		left[0] += float64(max(free.CPUs, 0))
		left[1] += float64(max(free.MemMB, 0))
	}
	var items [][]bundles.Bundle
	var open []*candidate
	for _, c := range all {
		switch {
		case c.server != nil:
			left[0] += float64(c.amounts.CPUs)
			left[1] += float64(c.amounts.MemMB)
		case c.HoldsGPUs():
			continue
		case c.need == nil:
			left[0] -= float64(c.aim.CPUs)
			left[1] -= float64(c.aim.MemMB)
			continue
		}
		open, items = append(open, c), append(items, c.need.bundles())
	}
	if len(open) == 0 || left[0] <= 0 || left[1] <= 0 {
		return
	}
	best, _ := bundles.Best(left, items)
	for i, c := range open {
		c.aim = c.need.options[best[i]].Amounts
	}
}

// take takes devices and amounts for the job.
func (t *table) take(c *candidate, on policy.Alloc, a policy.Amounts) bool {
	if t.round.FreePool.Take(on, a.CPUs, a.MemMB) != nil {
		return false
	}
	c.on, c.amounts = on, a
	nodes := on.Nodes()
	for _, n := range nodes {
		t.newcomers[n] = true
	}
	if s := t.servers[nodes[0]]; len(nodes) == 1 && c.need != nil {
		c.server = s
		s.open = append(s.open, c)
	}
	return true
}

// change gives a placed job other amounts.
func (t *table) change(c *candidate, a policy.Amounts) {
	t.round.FreePool.GiveBack(c.on, c.amounts.CPUs, c.amounts.MemMB)
	t.round.FreePool.Overdraw(c.on, a.CPUs, a.MemMB)
	c.amounts = a
}

// freeToLend is what the server has left for more than jobs need to be no slower than with their share, if so
// many of its GPUs stay free: their share is kept for those that come, unless amounts of those that run
// can be changed.
func (t *table) freeToLend(s *server, idleGPUs int) policy.Amounts {
	left := pool.FreeAmounts(t.round.FreePool, s.node.Name)
	if !t.Retune {
		kept := s.node.ShareByGPUs(max(idleGPUs, 0))
		left.CPUs, left.MemMB = left.CPUs-kept.CPUs, left.MemMB-kept.MemMB
	}
	return left
}

// freeGPUs is how many GPUs the server has free.
func (t *table) freeGPUs(s *server) int {
	n := 0
	for _, d := range s.node.GPUs {
		n += t.round.FreePool.FreeOnNode(s.node.Name, d.Type)
	}
	return n
}

// orderTypes returns the GPU types in the order to try them for a job that takes any; nil: as the pool has them.
func (t *table) orderTypes(c *candidate) []string {
	if c.GangAsk().GPUs.Type != "" || len(t.round.FreePool.WholeGPUTypes()) < 2 {
		return nil
	}
	if t.demandByType == nil {
		t.demandByType = t.round.CountTypeDemand(t.round.Entries)
	}
	return t.round.OrderGPUTypes(c.Entry, t.demandByType)
}

// listRooms lists the nodes that have the GPUs for the job, whatever cores and memory they have left.
func (t *table) listRooms(c *candidate, gpuType string) []pool.Room {
	a := c.GangAsk()
	a.GPUs.Type, a.CPUs, a.MemMB = gpuType, 0, 0
	rooms := t.round.FreePool.ListRooms(c.Partition, a)
	return slices.DeleteFunc(rooms, func(r pool.Room) bool {
		return r.DeviceCount < a.GPUs.Count || len(a.RequiredNodes) > 0 && !r.IsRequired
	})
}
