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
	name   string
	weight float64
	gpus   []float64 // by type, its part of the cluster
	jobs   []int     // by type: how many of its jobs could run there
	gain   []float64 // by type, summed over its jobs: speed over that on the first type they know
	known  int       // jobs that know their speed on every type
}

// divideTickets divides the GPUs of each type among the accounts with jobs by weight
// and lets them trade. Accounts without jobs keep what they had, for the day
// they return; it counts for none of the others.
func (s *stride) divideTickets(r *engine.Round) []float64 {
	w := len(s.now.Types)
	list := s.listAccounts(r)
	if s.Trade {
		tradeTickets(list, s.Margin)
	}
	tickets := slices.Clone(s.now.Tickets)
	for i := range list {
		a, _ := slices.BinarySearch(s.now.Accounts, list[i].name)
		for k, gpus := range list[i].gpus {
			if tickets[a*w+k] = gpus; gpus < 1e-9 { // what rounding leaves of a sale
				tickets[a*w+k] = 0
			}
		}
	}
	return tickets
}

// listAccounts returns the accounts with jobs that can run now, sorted by name.
func (s *stride) listAccounts(r *engine.Round) (list []account) {
	types := s.now.Types
	for _, e := range r.Entries {
		if r.Startable(e) {
			list = append(list, account{name: e.Account})
		}
	}
	slices.SortFunc(list, func(a, b account) int { return cmp.Compare(a.name, b.name) })
	list = slices.CompactFunc(list, func(a, b account) bool { return a.name == b.name })
	all := 0.0
	for i := range list {
		h := &list[i]
		h.weight = share.Weight(r.Snapshot, h.name)
		h.gpus, h.jobs, h.gain = make([]float64, len(types)), make([]int, len(types)), make([]float64, len(types))
		all += h.weight
	}
	total := rounds.GPUsByType(r, types)
	for i := range list {
		for k := range types {
			list[i].gpus[k] = total[k] * list[i].weight / all
		}
	}
	s.countJobs(r, list)
	return list
}

// countJobs counts each account's jobs by type and sums their gains.
func (s *stride) countJobs(r *engine.Round, list []account) {
	w := len(s.now.Types)
	for i, e := range r.Entries {
		if !r.Startable(e) {
			continue
		}
		at, _ := slices.BinarySearchFunc(list, e.Account, func(a account, name string) int { return cmp.Compare(a.name, name) })
		h := &list[at]
		for k := range w {
			if s.runnable[i*w+k] {
				h.jobs[k]++
			}
		}
		h.addGain(e, s.now.Types)
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
		h.gain[k] += rates[k] / slowest
	}
	h.known++
}

// tradeTickets lets the accounts exchange the GPUs of each two types, those first
// that differ most in how much they gain in all. Only accounts all of whose
// jobs know their speeds take part.
func tradeTickets(list []account, margin float64) {
	for _, p := range typePairs(list) {
		parties := make([]market.Trader, len(list))
		for i := range list {
			h := &list[i]
			parties[i] = market.Trader{Fast: h.gpus[p.fast], Slow: h.gpus[p.slow]}
			if h.known > 0 && h.known == h.jobs[p.fast] && h.known == h.jobs[p.slow] {
				parties[i].Gain = h.gain[p.fast] / h.gain[p.slow]
			}
		}
		for _, t := range market.Trade(parties, margin) {
			seller, buyer := &list[t.From], &list[t.To]
			seller.gpus[p.fast] -= t.Fast
			buyer.gpus[p.fast] += t.Fast
			seller.gpus[p.slow] += t.Slow
			buyer.gpus[p.slow] -= t.Slow
		}
	}
}

type typePair struct {
	fast, slow int
	gain       float64
}

// typePairs lists the types by two, the faster first, the largest gain first.
func typePairs(list []account) []typePair {
	var out []typePair
	if len(list) == 0 {
		return nil
	}
	gain := make([]float64, len(list[0].gain))
	for i := range list {
		for k := range gain {
			gain[k] += list[i].gain[k]
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
		return cmp.Or(cmp.Compare(y.gain, x.gain), cmp.Compare(x.fast, y.fast), cmp.Compare(x.slow, y.slow))
	})
	return out
}
