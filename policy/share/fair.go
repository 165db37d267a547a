package share

import (
	"cmp"
	"math"
	"slices"

	"fairbridge/policy"
)

// Person is a user within an account, as Slurm's associations are.
type Person struct{ Account, User string }

// FairShare returns Slurm's fair-share factor, 0..1, for every person of the
// snapshot: its users and the owners of its jobs.
//
// With tree, by the Fair Tree algorithm: from the roots down, siblings stand by
// their part of the shares over their part of the usage, accounts that tie are
// ranked as one; a person's factor is its rank from the end among all. Without,
// by the classic formula: two to the minus effective usage over shares, where
// effective usage is the mean, by shares, of a person's own and its account's.
// Persons of an account have one share each.
func FairShare(s *policy.Snapshot, tree bool) map[Person]float64 {
	t := newUsageTree(s)
	if tree {
		t.rankByFairTree(t.children(""), false)
	} else {
		t.setClassicFactors(t.below[""], nil)
	}
	return t.factors
}

// usageTree is the tree of accounts and persons with what they used.
type usageTree struct {
	accounts           map[string]policy.Account
	below              map[string][]*branch // by parent, sorted by name, persons first
	personCount        int
	total              float64
	lastRank, nextRank int // Fair Tree: rank given last, and the rank to give next
	factors            map[Person]float64
}

// branch is an account or a person.
type branch struct {
	name     string // of the account
	user     string
	isPerson bool
	shares   float64
	used     float64
	level    float64 // shares over usage among its siblings
}

func newUsageTree(s *policy.Snapshot) *usageTree {
	t := &usageTree{accounts: newTree(s.Accounts, nil).accounts, below: map[string][]*branch{}, factors: map[Person]float64{}}
	own := t.addPersons(s)
	for name, a := range t.accounts {
		own[name] = max(own[name], float64(a.UsedService))
		if name != "" {
			t.below[a.Parent] = append(t.below[a.Parent], &branch{name: name, shares: positiveWeight(a)})
		}
	}
	t.total = t.sumBelow("", own)
	return t
}

// addPersons hangs everybody below their accounts and returns what the persons
// of each account used together.
func (t *usageTree) addPersons(s *policy.Snapshot) map[string]float64 {
	used := map[Person]float64{}
	for i := range s.Jobs {
		used[Person{s.Jobs[i].Account, s.Jobs[i].User}] = 0
	}
	for _, u := range s.Users {
		used[Person{u.Account, u.Name}] = max(float64(u.UsedService), 0)
	}
	for p, x := range used {
		t.below[p.Account] = append(t.below[p.Account], &branch{name: p.Account, user: p.User, isPerson: true, shares: 1, used: x})
		if _, known := t.accounts[p.Account]; !known {
			t.accounts[p.Account] = policy.Account{Name: p.Account}
		}
	}
	t.personCount = len(used)
	own := map[string]float64{}
	for name, list := range t.below {
		slices.SortFunc(list, compareBranch)
		for _, b := range list {
			own[name] += b.used
		}
	}
	return own
}

// compareBranch puts persons before accounts, then goes by name.
func compareBranch(a, b *branch) int {
	if a.isPerson != b.isPerson {
		return comparePrecedence(a.isPerson)
	}
	return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(a.user, b.user))
}

// comparePrecedence is the result of comparing what has precedence with what has not, or
// the reverse.
func comparePrecedence(has bool) int {
	if has {
		return -1
	}
	return 1
}

// sumBelow adds up what everybody below an account used.
func (t *usageTree) sumBelow(name string, own map[string]float64) float64 {
	total := own[name]
	slices.SortFunc(t.below[name], compareBranch)
	for _, b := range t.below[name] {
		if !b.isPerson {
			b.used = t.sumBelow(b.name, own)
			total += b.used
		}
	}
	return total
}

// children returns the branches of an account with their level among each
// other.
func (t *usageTree) children(name string) []*branch {
	list := t.below[name]
	shares, used := 0.0, 0.0
	for _, b := range list {
		shares += b.shares
		used += b.used
	}
	for _, b := range list {
		b.level = math.Inf(1)
		if b.used > 0 {
			b.level = b.shares / shares / (b.used / used)
		}
	}
	return list
}

// rankByFairTree gives the persons below siblings their factors, the best level first;
// tied says that the first of them has the rank of the person before.
func (t *usageTree) rankByFairTree(siblings []*branch, tied bool) {
	if t.nextRank == 0 {
		t.lastRank, t.nextRank = t.personCount, t.personCount
	}
	siblings = slices.Clone(siblings)
	slices.SortStableFunc(siblings, func(a, b *branch) int {
		return cmp.Or(cmp.Compare(b.level, a.level), compareBranch(a, b))
	})
	for i := 0; i < len(siblings); i++ {
		b := siblings[i]
		tied = tied && i == 0 || i > 0 && siblings[i-1].level == b.level
		if b.isPerson {
			if !tied {
				t.lastRank = t.nextRank
			}
			t.factors[Person{b.name, b.user}] = float64(t.lastRank) / float64(t.personCount)
			t.nextRank--
			continue
		}
		merged := slices.Clone(t.children(b.name))
		for i+1 < len(siblings) && siblings[i+1].level == b.level {
			i++
			merged = append(merged, t.children(siblings[i].name)...)
		}
		t.rankByFairTree(merged, tied)
	}
}

// setClassicFactors gives the persons below siblings their factors; above is the parent,
// nil at the roots.
func (t *usageTree) setClassicFactors(siblings []*branch, above *branchShare) {
	shares := 0.0
	for _, b := range siblings {
		shares += b.shares
	}
	for _, b := range siblings {
		at := branchShare{part: b.shares / shares}
		if t.total > 0 {
			at.used = b.used / t.total
		}
		if above != nil {
			at.part *= above.part
			at.used += (above.used - at.used) * b.shares / shares
		}
		if !b.isPerson {
			t.setClassicFactors(t.below[b.name], &at)
			continue
		}
		t.factors[Person{b.name, b.user}] = math.Exp2(-at.used / at.part)
	}
}

// branchShare is a branch's part of all shares and its effective part of all
// usage.
type branchShare struct{ part, used float64 }
