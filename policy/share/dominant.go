// Package share says what accounts are due: their weights in the tree of
// accounts and the GPUs they are entitled to now.
package share

import (
	"cmp"
	"slices"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/solve/fair"
)

// DominantFairness is dominant resource fairness over GPUs of every type, cores and
// memory, weighted by account: each account is due the same dominant share,
// the largest fraction of any one resource, times its weight, unless it asks
// for less. A job is due its GPUs as far as its account's share reaches.
type DominantFairness struct{}

// Share implements engine.Sharer.
func (d DominantFairness) Share(r *engine.Round) ([]float64, error) {
	costs := d.Costs(r)
	parties := d.listDemandingAccounts(r, costs)
	weights := d.Weights(r)
	demands := make([]fair.Demand, len(parties))
	for i, p := range parties {
		demands[i] = fair.Demand{Weight: weights[p.name], NeedByResource: p.fullDemand}
	}
	due := make([]float64, len(r.Entries))
	for i, share := range fair.DominantShares(demands) {
		parties[i].divideAmongJobs(r, costs, share, due)
	}
	return due, nil
}

// Weights returns how much each account with jobs in the round counts.
func (DominantFairness) Weights(r *engine.Round) map[string]float64 {
	want := map[string]bool{}
	for _, e := range r.Entries {
		if r.MayRun(e) {
			want[e.Account] = true
		}
	}
	return WeightsAmong(r.Snapshot, want)
}

// demandingAccount is an account with the positions of its jobs in its own order and what
// it would hold if all of them ran.
type demandingAccount struct {
	name         string
	entryIndexes []int
	fullDemand   []float64
}

func (DominantFairness) listDemandingAccounts(r *engine.Round, costs [][]float64) []*demandingAccount {
	index := map[string]*demandingAccount{}
	var all []*demandingAccount
	for i, e := range r.Entries {
		if !r.MayRun(e) {
			continue
		}
		p := index[e.Account]
		if p == nil {
			p = &demandingAccount{name: e.Account, fullDemand: make([]float64, len(costs[i]))}
			index[e.Account] = p
			all = append(all, p)
		}
		p.entryIndexes = append(p.entryIndexes, i)
		for k, c := range costs[i] {
			p.fullDemand[k] += c * float64(e.TaskCount())
		}
	}
	for _, p := range all {
		slices.SortFunc(p.entryIndexes, func(a, b int) int { return engine.CompareTenure(r.Entries[a], r.Entries[b]) })
	}
	return all
}

// divideAmongJobs hands the account's share to its jobs in turn, in GPUs.
func (p *demandingAccount) divideAmongJobs(r *engine.Round, costs [][]float64, share float64, due []float64) {
	const slack = 1e-9 // shares are sums of fractions
	used := make([]float64, len(p.fullDemand))
	before := 0.0
	for _, i := range p.entryIndexes {
		e := r.Entries[i]
		for k, c := range costs[i] {
			used[k] += c * float64(e.TaskCount())
		}
		after := fair.DominantShare(used)
		all := wholeGPUsOf(e) * float64(e.TaskCount())
		switch {
		case after <= share+slack:
			due[i] = all
		case before < share-slack:
			due[i] = all * (share - before) / (after - before)
		}
		before = after
	}
}

// wholeGPUsOf returns what one task of the entry holds or asks for, in whole GPUs.
func wholeGPUsOf(e *engine.Entry) float64 { return e.Ask.GPUs.WholeGPUs() }

// Costs returns, per entry, what one task holds or asks for as a fraction of
// the cluster: cores, memory, then the GPUs of every type in the order of
// their names. A job that takes any whole GPU is charged on every whole type in
// proportion, wherever it runs: where it was put is not its doing, and its cost
// must not change as it starts.
func (DominantFairness) Costs(r *engine.Round) [][]float64 {
	c := newClusterCapacity(r.Snapshot)
	width := 2 + len(c.types)
	flat := make([]float64, width*len(r.Entries))
	costs := make([][]float64, len(r.Entries))
	for i, e := range r.Entries {
		costs[i] = flat[i*width : (i+1)*width : (i+1)*width]
		c.setCost(costs[i], e)
	}
	return costs
}

// clusterCapacity is what the nodes that are up have.
type clusterCapacity struct {
	cpus, memMB, wholeGPUs float64
	types                  []gpuTypeCapacity
}

type gpuTypeCapacity struct {
	name        string
	deviceCount float64
	isWholeGPU  bool
}

func newClusterCapacity(s *policy.Snapshot) *clusterCapacity {
	c := &clusterCapacity{}
	for i := range s.Nodes {
		n := &s.Nodes[i]
		if n.DownReason != "" {
			continue
		}
		c.cpus += float64(n.CPUs)
		c.memMB += float64(n.MemMB)
		for _, d := range n.GPUs {
			c.addDevices(d)
		}
	}
	return c
}

func (c *clusterCapacity) addDevices(d policy.NodeDevices) {
	i, ok := c.findType(d.Type)
	whole := d.PartPercent == 0 || d.PartPercent == 100
	if !ok {
		c.types = slices.Insert(c.types, i, gpuTypeCapacity{name: d.Type, isWholeGPU: whole})
	}
	healthy := float64(max(d.Count-d.SickCount, 0))
	c.types[i].deviceCount += healthy
	if whole {
		c.wholeGPUs += healthy
	}
}

func (c *clusterCapacity) findType(typ string) (int, bool) {
	return slices.BinarySearchFunc(c.types, typ, func(k gpuTypeCapacity, typ string) int { return cmp.Compare(k.name, typ) })
}

func (c *clusterCapacity) setCost(cost []float64, e *engine.Entry) {
	cost[0] = fractionOf(float64(e.Ask.CPUs), c.cpus)
	cost[1] = fractionOf(float64(e.Ask.MemMB), c.memMB)
	devices := float64(e.DeviceCount())
	if i, ok := c.findType(e.Ask.GPUs.Type); ok {
		cost[2+i] = fractionOf(devices, c.types[i].deviceCount)
		return
	}
	for i, k := range c.types {
		if k.isWholeGPU && e.Ask.GPUs.Type == "" {
			cost[2+i] = fractionOf(devices, c.wholeGPUs)
		}
	}
}

// fractionOf returns part of whole; something of nothing counts as all of it.
func fractionOf(part, whole float64) float64 {
	switch {
	case part <= 0:
		return 0
	case whole <= 0:
		return 1
	}
	return part / whole
}
