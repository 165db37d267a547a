package gandivafair

import (
	"cmp"
	"slices"

	"fairbridge/policy/engine"
	"fairbridge/policy/rounds"
	"fairbridge/policy/share"
	"fairbridge/policy/solve/market"
)

// account is one with jobs that could run, and what it holds.
type account struct {
	name               string
	weight             float64
	gpusByType         []float64 // by type, its part of the cluster
	jobCountByType     []int     // by type: how many of its jobs could run there
	gainByType         []float64 // by type, summed over its jobs: speed over that on the first type they know
	knownSpeedJobCount int       // jobs that know their speed on every type
}

// divideTickets divides the GPUs of each type among the accounts with jobs by weight
// and lets them trade. Accounts without jobs keep what they had, for the day
// they return; it counts for none of the others.
func (s *strideScheduler) divideTickets(r *engine.Round) []float64 {
	w := len(s.newPasses.Types)
	list := s.listAccounts(r)
	if s.Trade {
		tradeTickets(list, s.Margin)
	}
	tickets := slices.Clone(s.newPasses.Tickets)
	for i := range list {
		a, _ := slices.BinarySearch(s.newPasses.Accounts, list[i].name)
		for k, gpus := range list[i].gpusByType {
			if tickets[a*w+k] = gpus; gpus < 1e-9 { // what rounding leaves of a sale
				tickets[a*w+k] = 0
			}
		}
	}
	return tickets
}

// listAccounts returns the accounts with jobs that can run now, sorted by name.
func (s *strideScheduler) listAccounts(r *engine.Round) (list []account) {
	types := s.newPasses.Types
	for _, e := range r.Entries {
		if r.MayRun(e) {
			list = append(list, account{name: e.Account})
		}
	}
	slices.SortFunc(list, func(a, b account) int { return cmp.Compare(a.name, b.name) })
	list = slices.CompactFunc(list, func(a, b account) bool { return a.name == b.name })
	all := 0.0
	for i := range list {
		h := &list[i]
		h.weight = share.AccountWeight(r.Snapshot, h.name)
		h.gpusByType, h.jobCountByType, h.gainByType = make([]float64, len(types)), make([]int, len(types)), make([]float64, len(types))
		all += h.weight
	}
	total := rounds.CountGPUsByType(r, types)
	for i := range list {
		for k := range types {
			list[i].gpusByType[k] = total[k] * list[i].weight / all
		}
	}
	s.countJobsByType(r, list)
	return list
}

// countJobsByType counts each account's jobs by type and sums their gains.
func (s *strideScheduler) countJobsByType(r *engine.Round, list []account) {
	w := len(s.newPasses.Types)
	for i, e := range r.Entries {
		if !r.MayRun(e) {
			continue
		}
		at, _ := slices.BinarySearchFunc(list, e.Account, func(a account, name string) int { return cmp.Compare(a.name, name) })
		h := &list[at]
		for k := range w {
			if s.isRunnable[i*w+k] {
				h.jobCountByType[k]++
			}
		}
		h.addGain(e, s.newPasses.Types)
	}
}

// addGain adds the job's speeds relative to its slowest, if it may run on every
// type and knows how fast.
func (h *account) addGain(e *engine.Entry, types []string) {
	if e.Training == nil || e.Ask.GPUs.Type != "" {
		return
	}
	slowest := 0.0
	rates := make([]float64, len(types))
	for k, t := range types {
		rate, ok := e.Training.Rate(t)
		if !ok || rate <= 0 {
			return
		}
		if rates[k] = rate; slowest == 0 || rate < slowest {
			slowest = rate
		}
	}
	for k := range types {
		h.gainByType[k] += rates[k] / slowest
	}
	h.knownSpeedJobCount++
}

// tradeTickets lets the accounts exchange the GPUs of each two types, those first
// that differ most in how much they gain in all. Only accounts all of whose
// jobs know their speeds take part.
func tradeTickets(list []account, margin float64) {
	for _, p := range listTypePairs(list) {
		parties := make([]market.Trader, len(list))
		for i := range list {
			h := &list[i]
			parties[i] = market.Trader{FastGPUs: h.gpusByType[p.fastType], SlowGPUs: h.gpusByType[p.slowType]}
			if h.knownSpeedJobCount > 0 && h.knownSpeedJobCount == h.jobCountByType[p.fastType] && h.knownSpeedJobCount == h.jobCountByType[p.slowType] {
				parties[i].FastSpeedup = h.gainByType[p.fastType] / h.gainByType[p.slowType]
			}
		}
		for _, t := range market.TradeGPUs(parties, margin) {
			seller, buyer := &list[t.Seller], &list[t.Buyer]
			seller.gpusByType[p.fastType] -= t.FastGPUs
			buyer.gpusByType[p.fastType] += t.FastGPUs
			seller.gpusByType[p.slowType] += t.SlowGPUs
			buyer.gpusByType[p.slowType] -= t.SlowGPUs
		}
	}
}

type typePair struct {
	fastType, slowType int
	gain               float64
}

// listTypePairs lists the types by two, the faster first, the largest gain first.
func listTypePairs(list []account) []typePair {
	var out []typePair
	if len(list) == 0 {
		return nil
	}
	gain := make([]float64, len(list[0].gainByType))
	for i := range list {
		for k := range gain {
			gain[k] += list[i].gainByType[k]
		}
	}
	for a := range gain {
		for b := range gain {
			if gain[a] > gain[b] && gain[b] > 0 {
				out = append(out, typePair{a, b, gain[a] / gain[b]})
			}
		}
	}
	slices.SortFunc(out, func(x, y typePair) int {
		return cmp.Or(cmp.Compare(y.gain, x.gain), cmp.Compare(x.fastType, y.fastType), cmp.Compare(x.slowType, y.slowType))
	})
	return out
}
