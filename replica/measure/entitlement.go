package measure

import (
	"cmp"
	"slices"
)

// ComputeShareDeficit is what ShareDeficit of the run is to be: the part of the GPU time due to accounts
// that they did not get, 0 to 1. What is due to an account at a moment is its part of the cluster by weight among those that want GPUs
// then, at most what its jobs want, and what others do not want is shared out again (max-min
// fairness). Jobs want their GPUs from arrival to end. -1 where nothing was due, or where what
// accounts held was not kept.
func (r *Run) ComputeShareDeficit(weightOf func(account string) float64) float64 {
	var due, lacked, from float64
	accounts := r.accountShares(weightOf)
	for _, e := range r.shareEvents(accounts) {
		if d := e.atSeconds - from; d > 0 {
			accounts.divide(float64(r.ClusterGPUs))
			for i := range accounts { // the last digits of a sum depend on its order
				due += accounts[i].due * d
				lacked += max(accounts[i].due-accounts[i].held, 0) * d
			}
		}
		if from = e.atSeconds; e.sample == nil {
			accounts[e.account].wanted += e.wantedDelta
		} else if e.sample.GPUsByAccount != nil {
			for i := range accounts {
				accounts[i].held = e.sample.GPUsByAccount[accounts[i].name]
			}
		}
	}
	if !(due > 0) || len(r.Samples) == 0 || !r.hasAccountSamples() {
		return -1
	}
	return lacked / due
}

// accountShare is what an account wants, holds and is due at a moment, in GPUs.
type accountShare struct {
	name                      string
	weight, wanted, held, due float64
}

// accountShares are those of all accounts with jobs, by name.
type accountShares []accountShare

func (r *Run) accountShares(weightOf func(account string) float64) (all accountShares) {
	for i := range r.JobOutcomes {
		name := r.JobOutcomes[i].Account
		if k, found := all.find(name); !found {
			all = slices.Insert(all, k, accountShare{name: name, weight: weightOf(name)})
		}
	}
	return all
}

func (all accountShares) find(name string) (int, bool) {
	return slices.BinarySearchFunc(all, name, func(a accountShare, name string) int {
		return cmp.Compare(a.name, name)
	})
}

func (r *Run) hasAccountSamples() bool {
	return slices.ContainsFunc(r.Samples, func(s ClusterSample) bool { return s.GPUsByAccount != nil })
}

// shareEvent is a change of what an account wants, or a sample of what accounts hold.
type shareEvent struct {
	atSeconds   float64
	account     int // its place among all
	wantedDelta float64
	sample      *ClusterSample // nil: it is of what one wants
}

// shareEvents returns all in the order of time.
func (r *Run) shareEvents(accounts accountShares) []shareEvent {
	out := make([]shareEvent, 0, 2*len(r.JobOutcomes)+len(r.Samples))
	for i := range r.JobOutcomes {
		j := &r.JobOutcomes[i]
		k, _ := accounts.find(j.Account)
		n := float64(j.GPUCount)
		out = append(out, shareEvent{j.Arrive, k, n, nil}, shareEvent{j.Finish, k, -n, nil})
	}
	for i := range r.Samples {
		out = append(out, shareEvent{atSeconds: r.Samples[i].AtSeconds, sample: &r.Samples[i]})
	}
	slices.SortStableFunc(out, func(a, b shareEvent) int { return cmp.Compare(a.atSeconds, b.atSeconds) })
	return out
}

// divide shares the GPUs out by weight: who wants less than its part gets what it wants, and the
// rest is shared out among the others.
func (all accountShares) divide(gpus float64) {
	wanting, weights := make([]*accountShare, 0, len(all)), 0.0
	for i := range all {
		a := &all[i]
		if a.due = 0; a.wanted > 0 && a.weight > 0 {
			wanting, weights = append(wanting, a), weights+a.weight
		}
	}
	slices.SortStableFunc(wanting, func(a, b *accountShare) int {
		return cmp.Compare(a.wanted*b.weight, b.wanted*a.weight)
	})
	for _, a := range wanting { // the first wants least for its weight
		a.due = min(a.wanted, gpus*a.weight/weights)
		gpus, weights = gpus-a.due, weights-a.weight
	}
}
