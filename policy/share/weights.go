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
	t := newTree(s.Accounts, want)
	weights := make(map[string]float64, len(want))
	for name := range want {
		weights[name] = t.portion(name)
		if own := t.below[name]; own > 0 {
			weights[name] /= own + 1
		}
	}
	return weights
}

// weightTree is the accounts that want something, or have one below them that does.
type weightTree struct {
	accounts map[string]policy.Account
	want     map[string]bool
	below    map[string]float64 // summed weights of the children, "" for the roots
	portions map[string]float64
}

func newTree(accounts []policy.Account, want map[string]bool) *weightTree {
	t := &weightTree{map[string]policy.Account{}, want, map[string]float64{}, map[string]float64{}}
	for _, a := range accounts {
		t.accounts[a.Name] = a
	}
	for name := range t.accounts {
		t.ensureRoot(name)
	}
	counted := map[string]bool{}
	// Accounts in the order of the snapshot, so that sums are always rounded alike.
	for _, a := range accounts {
		if want[a.Name] {
			t.addToParents(a.Name, counted)
		}
	}
	for name := range want {
		if _, known := t.accounts[name]; !known {
			t.addToParents(name, counted)
		}
	}
	return t
}

// ensureRoot makes the account a root when its parent is unknown or its line of
// parents returns to it.
func (t *weightTree) ensureRoot(name string) {
	a := t.accounts[name]
	if _, known := t.accounts[a.Parent]; known && !t.isCircular(name) {
		return
	}
	a.Parent = ""
	t.accounts[name] = a
}

func (t *weightTree) isCircular(name string) bool {
	at := t.accounts[name].Parent
	for range len(t.accounts) {
		if at == "" {
			return false
		}
		if at == name {
			return true
		}
		at = t.accounts[at].Parent
	}
	return false // a circle further up, which another account breaks
}

// addToParents adds the weight of the account and of those above it to the sums of
// their siblings, each once.
func (t *weightTree) addToParents(name string, counted map[string]bool) {
	for name != "" && !counted[name] {
		counted[name] = true
		a := t.accounts[name]
		t.below[a.Parent] += positiveWeight(a)
		name = a.Parent
	}
}

// portion returns the account's part of everything, its children's included.
func (t *weightTree) portion(name string) float64 {
	if p, ok := t.portions[name]; ok {
		return p
	}
	a, siblings, above := t.accounts[name], t.below[t.accounts[name].Parent], 1.0
	if a.Parent != "" {
		above = t.portion(a.Parent)
		if t.want[a.Parent] {
			siblings++ // the parent's own jobs
		}
	}
	t.portions[name] = above * positiveWeight(a) / siblings
	return t.portions[name]
}

// AccountWeight returns the shares of the account with the name; one when nothing is
// known of it.
func AccountWeight(s *policy.Snapshot, account string) float64 {
	if a := s.Account(account); a != nil {
		return positiveWeight(*a)
	}
	return 1
}

// positiveWeight returns an account's shares; anything that is not a positive number
// counts as one share.
func positiveWeight(a policy.Account) float64 {
	if a.Weight > 0 && a.Weight < 1e15 {
		return a.Weight
	}
	return 1
}
