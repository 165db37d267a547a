// Package fairshare is Slurm's fair-share factor over accounts and their users, by the classic
// formula and by Fair Tree: who has used more than its share goes later, and use fades with time.
package fairshare

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// Account has shares of the cluster.
type Account struct {
	Name   string
	Shares float64 // 1 when zero or less
}

// Association is a user in an account.
type Association struct{ Account, User string }

// Usage is what every association has used so far.
type Usage struct {
	accounts           []Account
	halfLife           time.Duration
	usedByAssociation  map[Association]float64 // GPU-seconds, decayed to at
	sortedAssociations []Association           // keys of used; nil: not known
	lastDecay          time.Time
}

// NewUsage returns the usage of a cluster at a time before which nothing was used. An
// account that is not listed has one share. Of what was used half is left after
// halfLife.
func NewUsage(accounts []Account, halfLife time.Duration, at time.Time) *Usage {
	return &Usage{accounts: accounts, halfLife: halfLife, usedByAssociation: map[Association]float64{}, lastDecay: at}
}

// AddUse books GPU-seconds.
func (u *Usage) AddUse(a Association, gpuSeconds float64) {
	if _, known := u.usedByAssociation[a]; !known {
		u.sortedAssociations = nil
	}
	u.usedByAssociation[a] += gpuSeconds
}

// LastDecay returns when old use last faded.
func (u *Usage) LastDecay() time.Time { return u.lastDecay }

// DecayTo lets what was used fade up to now.
func (u *Usage) DecayTo(now time.Time) {
	fade := math.Exp2(-float64(now.Sub(u.lastDecay)) / float64(u.halfLife))
	u.lastDecay = now
	for a := range u.usedByAssociation {
		u.usedByAssociation[a] *= fade
	}
}

// Factor is the fair-share factor of an association, from 0 to 1.
func (u *Usage) Factor(a Association, byFairTree bool) float64 {
	if byFairTree {
		return u.FairTreeFactor(a)
	}
	return u.ClassicFactor(a)
}

// ClassicFactor is two to the minus effective usage over shares: 1 without any use, and
// the closer to 0 the more was used. Users of one account have equal shares of
// it.
func (u *Usage) ClassicFactor(a Association) float64 {
	total, account, mates, seen := 0.0, 0.0, 0, false
	for _, k := range u.listAssociations() {
		total += u.usedByAssociation[k]
		if k.Account == a.Account {
			account += u.usedByAssociation[k]
			mates++
			seen = seen || k == a
		}
	}
	if !seen {
		mates++
	}
	if total == 0 {
		return 1
	}
	own, account := u.usedByAssociation[a]/total, account/total
	effective := own + (account-own)/float64(mates)
	return math.Exp2(-effective / (u.accountShare(a.Account) / float64(mates)))
}

// listAssociations returns all that have used anything, sorted, so that sums do not
// depend on chance.
func (u *Usage) listAssociations() []Association {
	if u.sortedAssociations == nil {
		for a := range u.usedByAssociation {
			u.sortedAssociations = append(u.sortedAssociations, a)
		}
		slices.SortFunc(u.sortedAssociations, func(x, y Association) int {
			return cmp.Or(cmp.Compare(x.Account, y.Account), cmp.Compare(x.User, y.User))
		})
	}
	return u.sortedAssociations
}

// accountShare returns the account's part of all shares given out.
func (u *Usage) accountShare(account string) float64 {
	sum, mine, known := 0.0, 1.0, false
	for _, a := range u.accounts {
		s := a.Shares
		if s <= 0 {
			s = 1
		}
		sum += s
		if a.Name == account {
			mine, known = s, true
		}
	}
	if !known {
		sum++
	}
	return mine / sum
}

// FairTreeFactor is the factor by Slurm's Fair Tree, its default: accounts stand by what they used
// over their shares, the users of each by what they used, and a user's factor is the part of all
// users that do not stand before it. Users of accounts that stand alike are one row; who stands
// alike has the same factor. Counted is who used something, or was asked about before. After
// "Fair Tree Fairshare Algorithm" in Slurm's documentation.
func (u *Usage) FairTreeFactor(a Association) float64 {
	u.AddUse(a, 0)
	levels := u.treeLevels()
	return treeFactor(levels, levels[slices.IndexFunc(levels, func(l treeLevel) bool { return l.Association == a })])
}

// KnownFactors returns the factors of all associations that are counted: Fair Tree ranks them at one
// moment. By the classic formula each is worked out when it is asked for, and none is here.
func (u *Usage) KnownFactors(byFairTree bool) map[Association]float64 {
	factors := map[Association]float64{}
	if byFairTree {
		levels := u.treeLevels()
		for _, l := range levels {
			factors[l.Association] = treeFactor(levels, l)
		}
	}
	return factors
}

// treeFactor is the part of all that do not stand before one of them.
func treeFactor(levels []treeLevel, mine treeLevel) float64 {
	before := 0
	for _, l := range levels {
		if compareTreeLevels(l, mine) < 0 {
			before++
		}
	}
	return float64(len(levels)-before) / float64(len(levels))
}

// treeLevel is how an association stands: by its account first, then within it.
type treeLevel struct {
	Association
	account, user float64 // the part of the shares over the part of the use, among siblings; more goes first
}

// compareTreeLevels says which goes first.
func compareTreeLevels(x, y treeLevel) int {
	return cmp.Or(cmp.Compare(y.account, x.account), cmp.Compare(y.user, x.user))
}

// treeLevels returns how all that used or asked anything stand.
func (u *Usage) treeLevels() []treeLevel {
	all := u.listAssociations()
	used, mates, total := map[string]float64{}, map[string]float64{}, 0.0
	for _, k := range all {
		used[k.Account] += u.usedByAssociation[k]
		mates[k.Account]++
		total += u.usedByAssociation[k]
	}
	levels := make([]treeLevel, len(all))
	for i, k := range all {
		levels[i] = treeLevel{k, shareOverUse(u.accountShare(k.Account), used[k.Account], total), shareOverUse(1/mates[k.Account], u.usedByAssociation[k], used[k.Account])}
	}
	return levels
}

// shareOverUse is infinite where nothing was used.
func shareOverUse(share, used, usedByAll float64) float64 {
	if used == 0 {
		return math.Inf(1)
	}
	return share / (used / usedByAll)
}
