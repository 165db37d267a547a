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
		n := t.accounts[name]
		if n == nil {
			n = new(weightNode)
		}
		weights[name] = t.portionOf(n)
		if own := n.childWeightSum; own > 0 && name != noAccount {
			weights[name] /= own + 1
		}
	}
	return weights
}

// weightTree is the accounts that want something, or have one below them that does.
type weightTree struct {
	accounts      map[string]*weightNode
	rootWeightSum float64
}

// weightNode is an account; one without a parent, or with an unknown one, is a root.
type weightNode struct {
	policy.Account
	parent              *weightNode
	isWanted, isCounted bool
	childWeightSum      float64 // summed weights of the children
	portion             float64 // 0: not known yet
}

// noAccount is the account of jobs that have none, as in published traces: a root with one
// share.
const noAccount = ""

func newWeightTree(accounts []policy.Account, want map[string]bool) *weightTree {
	t, all := &weightTree{accounts: make(map[string]*weightNode, len(accounts))}, make([]weightNode, len(accounts))
	for i, a := range accounts {
		n := t.accounts[a.Name]
		if n == nil {
			n = &all[i]
			t.accounts[a.Name] = n
		}
		n.Account, n.isWanted = a, want[a.Name]
	}
	for i := range all {
		if n := &all[i]; n.Parent != "" {
			n.parent = t.accounts[n.Parent]
		}
	}
	for i := range all {
		all[i].makeRootIfDetached(len(t.accounts))
	}
	// Accounts in the order of the snapshot, so that sums are always rounded alike.
	for _, a := range accounts {
		if n := t.accounts[a.Name]; n.isWanted {
			t.addWeightToParents(n)
		}
	}
	for name := range want {
		if t.accounts[name] == nil && name != noAccount {
			t.rootWeightSum++
		}
	}
	if want[noAccount] {
		t.rootWeightSum += t.accounts[noAccount].weight()
	}
	return t
}

// makeRootIfDetached makes the account a root when its parent is unknown or its line of
// parents returns to it.
func (n *weightNode) makeRootIfDetached(accountCount int) {
	if n.parent == nil || n.hasCircularParents(accountCount) {
		n.parent, n.Parent = nil, ""
	}
}

func (n *weightNode) hasCircularParents(accountCount int) bool {
	at := n.parent
	for range accountCount {
		if at == nil {
			return false
		}
		if at == n {
			return true
		}
		at = at.parent
	}
	return false // a circle further up, which another account breaks
}

// addWeightToParents adds the weight of the account and of those above it to the sums of
// their siblings, each once.
func (t *weightTree) addWeightToParents(n *weightNode) {
	for n != nil && n.Name != noAccount && !n.isCounted {
		n.isCounted = true
		*t.siblingWeightSum(n) += n.weight()
		n = n.parent
	}
}

// siblingWeightSum is the summed weights of the account and its siblings.
func (t *weightTree) siblingWeightSum(n *weightNode) *float64 {
	if n.parent == nil {
		return &t.rootWeightSum
	}
	return &n.parent.childWeightSum
}

// portionOf returns the account's part of everything, its children's included.
func (t *weightTree) portionOf(n *weightNode) float64 {
	if n.portion != 0 {
		return n.portion
	}
	siblings, above := *t.siblingWeightSum(n), 1.0
	if n.parent != nil {
		above = t.portionOf(n.parent)
		if n.parent.isWanted {
			siblings++ // the parent's own jobs
		}
	}
	n.portion = above * n.weight() / siblings
	return n.portion
}

// weight returns the account's shares; one of an unknown account.
func (n *weightNode) weight() float64 {
	if n == nil {
		return 1
	}
	return weightOrOne(n.Account)
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

// UsageOverShare returns what every account used as a multiple of its share of what
// all used: below 1 it used less than it is due. The shares are divided, by
// WeightsAmong, among the accounts that used anything or have jobs. Without any
// usage all levels are 1.
func UsageOverShare(s *policy.Snapshot) map[string]float64 {
	want, used, total := map[string]bool{}, map[string]float64{}, 0.0
	for i := range s.Jobs {
		want[s.Jobs[i].Account] = true
	}
	for _, a := range s.Accounts {
		if a.UsedService > 0 {
			want[a.Name] = true
			used[a.Name] = float64(a.UsedService)
			total += float64(a.UsedService)
		}
	}
	levels := WeightsAmong(s, want)
	for name, part := range levels {
		levels[name] = 1
		if total > 0 && part > 0 {
			levels[name] = used[name] / total / part
		}
	}
	return levels
}
