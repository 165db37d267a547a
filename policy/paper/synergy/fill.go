package synergy

import (
	"slices"

	"fairbridge/policy"
	"fairbridge/policy/pool"
	"fairbridge/policy/solve/bundles"
)

// settleServers says at last what the open jobs get: with Fill all that the servers can lend goes to those
// that gain most by it, without it none has more than its share where that would be lent and cannot be.
func (t *table) settleServers() {
	if t.How == byGreed || t.How == byShare {
		return
	}
	for i := range t.round.Nodes {
		s := t.servers[t.round.Nodes[i].Name]
		if len(s.open) == 0 || t.Fill && t.fillServer(s) {
			continue
		}
		kept := t.freeToLend(s, t.freeGPUs(s))
		free := pool.FreeAmounts(t.round.FreePool, s.node.Name)
		t.setBack(s, policy.Amounts{CPUs: free.CPUs - kept.CPUs, MemMB: free.MemMB - kept.MemMB})
	}
}

// fillServer begins with the least with which each job is no slower than with its share, or with what was
// chosen for all jobs together. It reports whether there is as much.
func (t *table) fillServer(s *server) bool {
	capacity := t.freeToLend(s, t.freeGPUs(s))
	items, start := make([][]bundles.Bundle, len(s.open)), make([]int, len(s.open))
	var least policy.Amounts
	for i, c := range s.open {
		capacity = policy.Amounts{CPUs: capacity.CPUs + c.amounts.CPUs, MemMB: capacity.MemMB + c.amounts.MemMB}
		items[i] = c.need.bundles()
		if at := slices.IndexFunc(c.need.options, func(o option) bool { return o.Amounts == c.amounts }); t.How == byPrices && at > 0 {
			start[i] = at
		}
		o := c.need.options[start[i]]
		least = policy.Amounts{CPUs: least.CPUs + o.CPUs, MemMB: least.MemMB + o.MemMB}
	}
	if !least.Fits(capacity) {
		return false
	}
	chosen := bundles.Fill([2]float64{float64(capacity.CPUs), float64(capacity.MemMB)}, items, start)
	for i, c := range s.open {
		t.change(c, c.need.options[chosen[i]].Amounts)
	}
	return true
}
