// Package sharetree says what accounts are entitled to by their weights along the tree, what they used of it,
// and where that puts them, in numbers and words. It is pure.
package sharetree

import (
	"cmp"

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

// Entitlements returns the share of every account, in the order of the accounts: by itself, without words.
func Entitlements(accounts []policy.Account) []api.AccountShare {
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

// AddUp adds to every account what those below it used, hold and want, and says which part of all of it that is.
func AddUp(accounts []policy.Account, shares []api.AccountShare) {
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
