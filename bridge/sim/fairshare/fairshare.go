// Package fairshare is Slurm's classic fair-share factor over accounts and their
// users: who has used more than its share goes later, and use fades with time.
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
	accounts []Account
	halfLife time.Duration
	used     map[Association]float64 // GPU-seconds, decayed to at
	sorted   []Association           // keys of used; nil: not known
	at       time.Time
}

// New returns the usage of a cluster at a time before which nothing was used. An
// account that is not listed has one share. Of what was used half is left after
// halfLife.
func New(accounts []Account, halfLife time.Duration, at time.Time) *Usage {
	return &Usage{accounts: accounts, halfLife: halfLife, used: map[Association]float64{}, at: at}
}

// Add books GPU-seconds.
func (u *Usage) Add(a Association, gpuSeconds float64) {
	if _, known := u.used[a]; !known {
		u.sorted = nil
	}
	u.used[a] += gpuSeconds
}

// Decayed returns when old use last faded.
func (u *Usage) Decayed() time.Time { return u.at }

// Decay lets what was used fade up to now.
func (u *Usage) Decay(now time.Time) {
	fade := math.Exp2(-float64(now.Sub(u.at)) / float64(u.halfLife))
	u.at = now
	for a := range u.used {
		u.used[a] *= fade
	}
}

// Factor is two to the minus effective usage over shares: 1 without any use, and
// the closer to 0 the more was used. Users of one account have equal shares of
// it.
func (u *Usage) Factor(a Association) float64 {
	total, account, mates, seen := 0.0, 0.0, 0, false
	for _, k := range u.associations() {
		total += u.used[k]
		if k.Account == a.Account {
			account += u.used[k]
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
	own, account := u.used[a]/total, account/total
	effective := own + (account-own)/float64(mates)
	return math.Exp2(-effective / (u.share(a.Account) / float64(mates)))
}

// associations returns all that have used anything, sorted, so that sums do not
// depend on chance.
func (u *Usage) associations() []Association {
	if u.sorted == nil {
		for a := range u.used {
			u.sorted = append(u.sorted, a)
		}
		slices.SortFunc(u.sorted, func(x, y Association) int {
			return cmp.Or(cmp.Compare(x.Account, y.Account), cmp.Compare(x.User, y.User))
		})
	}
	return u.sorted
}

// share returns the account's part of all shares given out.
func (u *Usage) share(account string) float64 {
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
