package share

import (
	"fairbridge/policy"
)

// WeightsAmong returns how much each account in want counts: its part of what its
// parent counts, by weight among the siblings that want something too, from
// the roots down. The weights of all accounts in want add up to one. An
// account that has jobs of its own beside child accounts counts among its
// children with one share. An account the snapshot does not know is a root
// with one share.
func WeightsAmong(s *policy.Snapshot, want map[string]bool) map[string]float64 {
	t := newWeightTree(s.Accounts, want)
	weights := make(map[string]float64, len(want))
	for name := range want {
		weights[name] = t.portionOf(name)
		if own := t.childWeightSums[name]; own > 0 && name != noAccount {
			weights[name] /= own + 1
		}
	}
	return weights
}

// weightTree is the accounts that want something, or have one below them that does.
type weightTree struct {
	accountByName    map[string]policy.Account
	isWantedByName   map[string]bool
	childWeightSums  map[string]float64 // summed weights of the children, "" for the roots
	portionByAccount map[string]float64
}

// noAccount is the account of jobs that have none, as in published traces: a root with one
// share. Under the same name the tree has the roots' parent.
const noAccount = ""

func newWeightTree(accounts []policy.Account, want map[string]bool) *weightTree {
	t := &weightTree{map[string]policy.Account{}, want, map[string]float64{}, map[string]float64{}}
	for _, a := range accounts {
		t.accountByName[a.Name] = a
	}
	for name := range t.accountByName {
		t.makeRootIfDetached(name)
	}
	counted := map[string]bool{}
	// Accounts in the order of the snapshot, so that sums are always rounded alike.
	for _, a := range accounts {
		if want[a.Name] {
			t.addWeightToParents(a.Name, counted)
		}
	}
	for name := range want {
		if _, known := t.accountByName[name]; !known {
			t.addWeightToParents(name, counted)
		}
	}
	if want[noAccount] {
		t.childWeightSums[noAccount] += weightOrOne(t.accountByName[noAccount])
	}
	return t
}

// makeRootIfDetached makes the account a root when its parent is unknown or its line of
// parents returns to it.
func (t *weightTree) makeRootIfDetached(name string) {
	a := t.accountByName[name]
	if _, known := t.accountByName[a.Parent]; known && !t.hasCircularParents(name) {
		return
	}
	a.Parent = ""
	t.accountByName[name] = a
}

func (t *weightTree) hasCircularParents(name string) bool {
	at := t.accountByName[name].Parent
	for range len(t.accountByName) {
		if at == "" {
			return false
		}
		if at == name {
			return true
		}
		at = t.accountByName[at].Parent
	}
	return false // a circle further up, which another account breaks
}

// addWeightToParents adds the weight of the account and of those above it to the sums of
// their siblings, each once.
func (t *weightTree) addWeightToParents(name string, counted map[string]bool) {
	for name != "" && !counted[name] {
		counted[name] = true
		a := t.accountByName[name]
		t.childWeightSums[a.Parent] += weightOrOne(a)
		name = a.Parent
	}
}

// portionOf returns the account's part of everything, its children's included.
func (t *weightTree) portionOf(name string) float64 {
	if p, ok := t.portionByAccount[name]; ok {
		return p
	}
	a, siblings, above := t.accountByName[name], t.childWeightSums[t.accountByName[name].Parent], 1.0
	if a.Parent != "" {
		above = t.portionOf(a.Parent)
		if t.isWantedByName[a.Parent] {
			siblings++ // the parent's own jobs
		}
	}
	t.portionByAccount[name] = above * weightOrOne(a) / siblings
	return t.portionByAccount[name]
}

// AccountWeight returns the shares of the account with the name; one when nothing is
// known of it.
func AccountWeight(s *policy.Snapshot, account string) float64 {
	if a := s.Account(account); a != nil {
		return weightOrOne(*a)
	}
	return 1
}

// weightOrOne returns an account's shares.
func weightOrOne(a policy.Account) float64 { return shareOrOne(a.Weight) }

// shareOrOne returns shares; anything that is not a positive number counts as one.
func shareOrOne(shares float64) float64 {
	if shares > 0 && shares < 1e15 {
		return shares
	}
	return 1
}
