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
		t.rankByFairTree(t.childrenWithLevels(""), false)
	} else {
		t.setClassicFactors(t.childrenByParent[""], nil)
	}
	return t.factorByPerson
}

// usageTree is the tree of accounts and persons with what they used.
type usageTree struct {
	accountByName      map[string]policy.Account
	childrenByParent   map[string][]*treeBranch // by parent, sorted by name, persons first
	personCount        int
	totalUsed          float64
	lastRank, nextRank int // Fair Tree: rank given last, and the rank to give next
	factorByPerson     map[Person]float64
}

// treeBranch is an account or a person.
type treeBranch struct {
	accountName    string // of the account
	userName       string
	isPerson       bool
	shares         float64
	usedService    float64
	levelFairShare float64 // shares over usage among its siblings
}

func newUsageTree(s *policy.Snapshot) *usageTree {
	t := &usageTree{
		accountByName: map[string]policy.Account{}, childrenByParent: map[string][]*treeBranch{},
		factorByPerson: map[Person]float64{},
	}
	for name, n := range newWeightTree(s.Accounts, nil).accounts {
		t.accountByName[name] = n.Account
	}
	own := t.addPersons(s)
	for name, a := range t.accountByName {
		own[name] = max(own[name], float64(a.UsedService))
		if name != "" {
			t.childrenByParent[a.Parent] = append(t.childrenByParent[a.Parent], &treeBranch{accountName: name, shares: weightOrOne(a)})
		}
	}
	t.totalUsed = t.sumUsedBelow("", own)
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
		t.childrenByParent[p.Account] = append(t.childrenByParent[p.Account], &treeBranch{accountName: p.Account, userName: p.User, isPerson: true, shares: 1, usedService: x})
		if _, known := t.accountByName[p.Account]; !known {
			t.accountByName[p.Account] = policy.Account{Name: p.Account}
		}
	}
	t.personCount = len(used)
	own := map[string]float64{}
	for name, list := range t.childrenByParent {
		slices.SortFunc(list, compareBranches)
		for _, b := range list {
			own[name] += b.usedService
		}
	}
	return own
}

// compareBranches puts persons before accounts, then goes by name.
func compareBranches(a, b *treeBranch) int {
	if a.isPerson != b.isPerson {
		return comparePrecedence(a.isPerson)
	}
	return cmp.Or(cmp.Compare(a.accountName, b.accountName), cmp.Compare(a.userName, b.userName))
}

// comparePrecedence is the result of comparing what has precedence with what has not, or
// the reverse.
func comparePrecedence(has bool) int {
	if has {
		return -1
	}
	return 1
}

// sumUsedBelow adds up what everybody below an account used.
func (t *usageTree) sumUsedBelow(name string, own map[string]float64) float64 {
	total := own[name]
	slices.SortFunc(t.childrenByParent[name], compareBranches)
	for _, b := range t.childrenByParent[name] {
		if !b.isPerson {
			b.usedService = t.sumUsedBelow(b.accountName, own)
			total += b.usedService
		}
	}
	return total
}

// childrenWithLevels returns the branches of an account with their level among each
// other.
func (t *usageTree) childrenWithLevels(name string) []*treeBranch {
	list := t.childrenByParent[name]
	shares, used := 0.0, 0.0
	for _, b := range list {
		shares += b.shares
		used += b.usedService
	}
	for _, b := range list {
		b.levelFairShare = math.Inf(1)
		if b.usedService > 0 {
			b.levelFairShare = b.shares / shares / (b.usedService / used)
		}
	}
	return list
}

// rankByFairTree gives the persons below siblings their factors, the best level first;
// tied says that the first of them has the rank of the person before.
func (t *usageTree) rankByFairTree(siblings []*treeBranch, tied bool) {
	if t.nextRank == 0 {
		t.lastRank, t.nextRank = t.personCount, t.personCount
	}
	siblings = slices.Clone(siblings)
	slices.SortStableFunc(siblings, func(a, b *treeBranch) int {
		return cmp.Or(cmp.Compare(b.levelFairShare, a.levelFairShare), compareBranches(a, b))
	})
	for i := 0; i < len(siblings); i++ {
		b := siblings[i]
		tied = tied && i == 0 || i > 0 && siblings[i-1].levelFairShare == b.levelFairShare
		if b.isPerson {
			if !tied {
				t.lastRank = t.nextRank
			}
			t.factorByPerson[Person{b.accountName, b.userName}] = float64(t.lastRank) / float64(t.personCount)
			t.nextRank--
			continue
		}
		merged := slices.Clone(t.childrenWithLevels(b.accountName))
		for i+1 < len(siblings) && siblings[i+1].levelFairShare == b.levelFairShare {
			i++
			merged = append(merged, t.childrenWithLevels(siblings[i].accountName)...)
		}
		t.rankByFairTree(merged, tied)
	}
}

// setClassicFactors gives the persons below siblings their factors; above is the parent,
// nil at the roots.
func (t *usageTree) setClassicFactors(siblings []*treeBranch, above *branchFractions) {
	shares := 0.0
	for _, b := range siblings {
		shares += b.shares
	}
	for _, b := range siblings {
		at := branchFractions{partOfShares: b.shares / shares}
		if t.totalUsed > 0 {
			at.effectiveUsage = b.usedService / t.totalUsed
		}
		if above != nil {
			at.partOfShares *= above.partOfShares
			at.effectiveUsage += (above.effectiveUsage - at.effectiveUsage) * b.shares / shares
		}
		if !b.isPerson {
			t.setClassicFactors(t.childrenByParent[b.accountName], &at)
			continue
		}
		t.factorByPerson[Person{b.accountName, b.userName}] = math.Exp2(-at.effectiveUsage / at.partOfShares)
	}
}

// branchFractions is a branch's part of all shares and its effective part of all
// usage.
type branchFractions struct{ partOfShares, effectiveUsage float64 }

// PersonWeights returns, in the order of want, how much each person counts: what its account counts, by
// WeightsAmong, divided by weight among those of the account that want something too. The
// weights of all persons in want add up to one. A user whom the snapshot does not know, or of
// whom it has no weight, has one share. It goes through want in its order, so that sums
// are always rounded alike.
func PersonWeights(s *policy.Snapshot, want []Person) []float64 {
	accounts, shares, sums := map[string]bool{}, userShares(s), map[string]float64{}
	weights := make([]float64, len(want))
	for i, p := range want {
		weights[i] = shareOrOne(shares[p])
		accounts[p.Account] = true
		sums[p.Account] += weights[i]
	}
	ofAccount := WeightsAmong(s, accounts)
	for i, p := range want {
		weights[i] = ofAccount[p.Account] * weights[i] / sums[p.Account]
	}
	return weights
}

// userShares returns the shares of the users that have a weight, within their accounts.
func userShares(s *policy.Snapshot) map[Person]float64 {
	shares := map[Person]float64{}
	for i := range s.Users {
		if u := &s.Users[i]; u.Weight != 0 {
			shares[Person{u.Account, u.Name}] = u.Weight
		}
	}
	return shares
}
