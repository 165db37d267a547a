package answers

import (
	"cmp"
	"fmt"
	"slices"

	"fairbridge/api"
	"fairbridge/policy"
)

// maxDepth is deeper than any tree of accounts; it ends a tree whose parents go in circles.
const maxDepth = 64

// tree is accounts with who is below whom.
type tree struct {
	shares   []api.AccountShare // of each account by itself, later with all below it
	parent   []int              // -1: none that is known
	children map[int][]int      // of -1: the roots
}

// entitlements returns the share of every account, in the order of the accounts: by itself, without words.
func entitlements(accounts []policy.Account) []api.AccountShare {
	t := newTree(accounts)
	t.entitle(-1, 1, 0)
	return t.shares
}

func newTree(accounts []policy.Account) *tree {
	t := &tree{children: map[int][]int{}}
	placeByName := map[string]int{}
	for i, a := range accounts {
		placeByName[a.Name] = i
	}
	for i, a := range accounts {
		parent, known := placeByName[a.Parent]
		if !known || a.Parent == "" || parent == i {
			parent = -1
		}
		t.parent = append(t.parent, parent)
		t.children[parent] = append(t.children[parent], i)
		t.shares = append(t.shares, api.AccountShare{Name: a.Name, Parent: a.Parent, Weight: weightOf(&a), AccountUse: &api.AccountUse{UsedService: a.UsedService, HeldService: a.HeldService, RecentService: a.RecentService}, AccountJobs: &api.AccountJobs{}})
	}
	return t
}

// weightOf is the account's shares; 0 stands for one.
func weightOf(a *policy.Account) float64 {
	if a.Weight > 0 {
		return a.Weight
	}
	return 1
}

// entitle parts what an account is entitled to among those below it.
func (t *tree) entitle(parent int, part float64, depth int) {
	if depth > maxDepth {
		return
	}
	sum := 0.0
	for _, i := range t.children[parent] {
		sum += t.shares[i].Weight
	}
	for _, i := range t.children[parent] {
		t.shares[i].Entitled = part * t.shares[i].Weight / sum
		t.entitle(i, t.shares[i].Entitled, depth+1)
	}
}

// addUpShares adds to every account what those below it used, hold and want, and says which part of all of it that is.
func addUpShares(accounts []policy.Account, shares []api.AccountShare) {
	t := newTree(accounts)
	t.shares = shares
	total := 0.0
	for i := range shares {
		total += float64(shares[i].UsedService)
	}
	t.addUp(-1, 0)
	for i := range shares {
		if total > 0 {
			shares[i].UsedPart = float64(shares[i].UsedService) / total
		}
	}
}

func (t *tree) addUp(parent, depth int) {
	for _, i := range t.children[parent] {
		if depth < maxDepth {
			t.addUp(i, depth+1)
		}
		if parent < 0 {
			continue
		}
		to, from := &t.shares[parent], &t.shares[i]
		held := cmp.Or(to.HeldService, to.UsedService) + cmp.Or(from.HeldService, from.UsedService)
		to.UsedService += from.UsedService
		to.HeldService = policy.ServiceHeld(held, to.UsedService)
		to.RecentService += from.RecentService
		to.RunningGPUs += from.RunningGPUs
		to.WaitingGPUs += from.WaitingGPUs
		to.WaitingJobs += from.WaitingJobs
	}
}

// nearly is by which part of its entitlement an account may be off and still count as near it.
const nearly = .1

// shareWords says where an account stands: what it is entitled to, what it had, and beside whom among its siblings
// that puts it. all are the accounts that may be named.
func shareWords(a *api.AccountShare, all []api.AccountShare) string {
	text := fmt.Sprintf("%s is entitled to %s of the cluster and had %s of what was used lately", a.Name, percent(a.Entitled), percent(a.UsedPart))
	if a.UsedPart == 0 && a.UsedService == 0 {
		text = fmt.Sprintf("%s is entitled to %s of the cluster and used nothing lately", a.Name, percent(a.Entitled))
	}
	switch {
	case a.UsedPart > a.Entitled*(1+nearly):
		if best := mostOwed(a, all); best != nil {
			return text + ": where shares decide, its jobs stand behind those of " + best.Name + "."
		}
		return text + ": more than its share."
	case a.UsedPart < a.Entitled*(1-nearly):
		return text + ": where shares decide, its jobs go before those of accounts that had more than their share."
	}
	return text + ": about its share."
}

// mostOwed returns the sibling that wants something and had the least of what it is entitled to; nil: none had
// less of it than the account.
func mostOwed(a *api.AccountShare, all []api.AccountShare) *api.AccountShare {
	var best *api.AccountShare
	for i := range all {
		b := &all[i]
		if b.Name == a.Name || b.Parent != a.Parent || b.AccountJobs == nil || b.WaitingJobs == 0 || relativeUse(b) >= relativeUse(a) {
			continue
		}
		if best == nil || relativeUse(b) < relativeUse(best) {
			best = b
		}
	}
	return best
}

// relativeUse is what an account had over what it is entitled to.
func relativeUse(a *api.AccountShare) float64 {
	if a.Entitled <= 0 {
		return 0
	}
	return a.UsedPart / a.Entitled
}

// percent writes a part of 1, small ones with a digit more.
func percent(part float64) string {
	if p := 100 * part; p > 0 && p < 10 {
		return fmt.Sprintf("%.1f %%", p)
	}
	return fmt.Sprintf("%.0f %%", 100*part)
}

// sortUsers sorts users by account and name.
func sortUsers(users []api.UserShare) {
	slices.SortFunc(users, func(x, y api.UserShare) int {
		return cmp.Or(cmp.Compare(x.Account, y.Account), cmp.Compare(x.Name, y.Name))
	})
}
