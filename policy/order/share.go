package order

import (
	"cmp"
	"container/heap"
	"slices"
	"strconv"
	"time"

	"fairbridge/policy/engine"
)

// A CostMeter says what one task of each entry costs, per resource as a fraction
// of the cluster, in Round.Entries order, and how much each account counts.
type CostMeter interface {
	Costs(*engine.Round) [][]float64
	Weights(*engine.Round) map[string]float64
}

// BySmallestShare serves, one job at a time, the account that holds the smallest
// share: the largest fraction of any one resource, divided by the account's
// weight. The line begins with an empty cluster, so running jobs take their
// places in it by the same rule and those an account holds beyond its share
// stand behind what others are still due. Equal shares: the account served
// longest ago, then its name. Within an account: jobs that must not be
// stopped, running ones by start, pending ones by arrival. Jobs that cannot
// start stand last.
type BySmallestShare struct {
	Meter CostMeter
}

// Order implements engine.Orderer.
func (b BySmallestShare) Order(r *engine.Round) ([]*engine.Entry, error) {
	accounts, rest := b.groupByAccount(r)
	line := make([]*engine.Entry, 0, len(r.Entries))
	heap.Init(&accounts)
	for len(accounts) > 0 {
		a := accounts[0]
		next := a.remainingJobs[0]
		if !r.OmitReasons {
			share := strconv.FormatFloat(a.weightedShare, 'f', 2, 64)
			next.Note = "the jobs of account " + a.name + " before it come to " + share + " times its share"
		}
		line = append(line, next.Entry)
		a.serveNextJob(next.cost)
		if len(a.remainingJobs) == 0 {
			heap.Pop(&accounts)
			continue
		}
		heap.Fix(&accounts, 0)
	}
	slices.SortFunc(rest, engine.CompareArrival)
	return append(line, rest...), nil
}

type costedEntry struct {
	*engine.Entry
	cost []float64
}

type account struct {
	name          string
	weight        float64
	usedFractions []float64
	weightedShare float64 // dominant share divided by weight
	lastStart     time.Time
	remainingJobs []costedEntry
}

func (a *account) serveNextJob(cost []float64) {
	for r, c := range cost {
		a.usedFractions[r] += c
		a.weightedShare = max(a.weightedShare, a.usedFractions[r]/a.weight)
	}
	a.remainingJobs = a.remainingJobs[1:]
}

// groupByAccount returns the accounts with their jobs in order, and the entries that
// cannot start.
func (b BySmallestShare) groupByAccount(r *engine.Round) (queue accountHeap, rest []*engine.Entry) {
	costs, weights := b.Meter.Costs(r), b.Meter.Weights(r)
	index := map[string]*account{}
	for i, e := range r.Entries {
		if !r.MayRun(e) {
			e.Note = "cannot start yet"
			rest = append(rest, e)
			continue
		}
		a := index[e.Account]
		if a == nil {
			a = &account{name: e.Account, weight: weights[e.Account], usedFractions: make([]float64, len(costs[i]))}
			index[e.Account] = a
			queue = append(queue, a)
		}
		a.remainingJobs = append(a.remainingJobs, costedEntry{e, costs[i]})
		if e.Start.After(a.lastStart) {
			a.lastStart = e.Start
		}
	}
	for _, a := range queue {
		slices.SortFunc(a.remainingJobs, func(x, y costedEntry) int { return engine.CompareTenure(x.Entry, y.Entry) })
	}
	return queue, rest
}

// accountHeap is a heap of accounts, the neediest first.
type accountHeap []*account

func (q accountHeap) Len() int { return len(q) }

func (q accountHeap) Less(i, j int) bool {
	a, b := q[i], q[j]
	if a.weightedShare != b.weightedShare {
		return a.weightedShare < b.weightedShare
	}
	return cmp.Or(a.lastStart.Compare(b.lastStart), cmp.Compare(a.name, b.name)) < 0
}

func (q accountHeap) Swap(i, j int) { q[i], q[j] = q[j], q[i] }

// Push implements heap.Interface.
func (q *accountHeap) Push(x any) { *q = append(*q, x.(*account)) }

// Pop implements heap.Interface.
func (q *accountHeap) Pop() any {
	last := len(*q) - 1
	x := (*q)[last]
	*q = (*q)[:last]
	return x
}
