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
