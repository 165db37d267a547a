// Package gandivafair gives every account with jobs its ticket share of the GPU time.
// The GPUs of a type are handed out by stride: each account has a pass that grows
// with the GPU time it receives over its tickets, and the smallest passes run
// next, gangs as a whole; within an account, the job that received least.
// Accounts whose jobs gain little from fast GPUs trade
// them for the slow ones of accounts whose jobs gain much.
//
// S. Chaudhary, R. Ramjee, M. Sivathanu, N. Kwatra, S. Viswanatha, "Balancing
// Efficiency and Fairness in Heterogeneous GPU Clusters for Deep Learning",
// EuroSys 2020. The paper's strides are per server with a central one for wide
// jobs; here a GPU type takes the place of the server, as Slurm places jobs.
package gandivafair

import (
	"cmp"
	"fmt"
	"slices"

	"fairbridge/policy"
	"fairbridge/policy/backfill"
	"fairbridge/policy/engine"
	"fairbridge/policy/paper"
	"fairbridge/policy/predict"
	"fairbridge/policy/rounds"
	"fairbridge/policy/share"
	"fairbridge/policy/solve/market"
)

// Policy is Gandiva-fair with its parameters.
type Policy struct {
	Trade  bool    `param:"trade" default:"true" help:"let accounts exchange fast GPUs for slow ones where both gain"`
	Margin float64 `param:"margin" default:"1.1" min:"1" help:"factor by which the price must at least exceed what fast GPUs gain the seller itself; the price where only one account would buy"`
	// MinRun is the quantum.
	paper.PatientLimits
}

// Decide implements policy.Policy.
func (g *Policy) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	last, err := recallPasses(s)
	if err != nil {
		return nil, fmt.Errorf("policy gandiva-fair: %w", err)
	}
	stage := &strideScheduler{Policy: g, lastPasses: last}
	plan, err := engine.Pipeline{
		Name:     "gandiva-fair",
		Predict:  predict.Ladder{},
		Allocate: stage,
		Backfill: backfill.Greedy{},
		Rules:    g.Rules(),
	}.Decide(s)
	if err != nil {
		return nil, err
	}
	stage.newPasses.noteHoldings(plan)
	plan.Memo = policy.Remember(stage.newPasses)
	return plan, nil
}

// System describes Gandiva-fair in the catalogue.
func System() paper.System {
	return paper.DescribeSystem(new(Policy), paper.System{
		Name: "gandiva-fair", Title: "Gandiva_fair: tickets, gang-aware stride and trading of GPU types", Venue: "EuroSys", Year: 2020,
		Cite:         `S. Chaudhary et al., "Balancing Efficiency and Fairness in Heterogeneous GPU Clusters for Deep Learning", EuroSys 2020`,
		Idea:         "Give each account its ticket share of GPU time by stride, and let accounts trade fast GPUs for slow ones.",
		OwnStages:    []string{"predict", "order", "lease"},
		NeededInputs: []string{"account weights", "GPU time received", "speeds by GPU type (to trade)"},
		Fallback:     "accounts whose jobs report no speeds do not trade; the shares hold all the same",
		Reproduced: "8 accounts with more jobs than 72 GPUs of three types can run, medians of 5 seeds: GPU time within 4 % of the tickets for each over 24 hours " +
			"(first come, first served: one has five times that), trading brings 12 % more speed in all and less to none; " +
			"a server of four GPUs with gangs of 1, 1, 2 and 4, tickets 2:1 on one GPU, and trades among three accounts at price 3 and between two at the seller's own gain",
		Deviations: []string{
			"One stride for each GPU type, with gangs as a whole; the paper has one for each server and a central one for gangs that need several.",
			"No balancing of tickets among servers by moving jobs: Slurm places jobs, and a move would be a requeue.",
			"Where a single account would buy, the price is the seller's own gain with the margin: the paper does not say what it is.",
			"Speeds by type are those that jobs report; the paper profiles them.",
		},
		SimulatorParams: paper.Params{"min_run": "1s", "max_stops": -1, "max_wait": "0s"},
	})
}

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
