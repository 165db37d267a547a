package memstore

import (
	"cmp"
	"slices"
	"time"

	"fairbridge/policy"
)

// usageSpan is a stretch in which a run held GPUs.
type usageSpan struct {
	user  userAccount
	gpus  int
	start time.Time
	stop  time.Time
}

// usage is decayed service per user. Spans that ended long ago are folded into
// one sum: decay makes that exact.
type usage struct {
	halfLife time.Duration
	spans    []usageSpan
	folded   []policy.User       // every user seen, sorted, with what is folded, decayed as of at
	index    map[userAccount]int // in old
	at       time.Time
}

// setInitial takes what users had used before.
func (u *usage) setInitial(users []policy.User, at time.Time) {
	u.at = at
	for i := range users {
		u.folded[u.indexOf(userAccount{users[i].Name, users[i].Account})].UsedService += users[i].UsedService
	}
}

// userAccount is a user in an account.
type userAccount struct{ name, account string }

// indexOf returns the user's place in old.
func (u *usage) indexOf(w userAccount) int {
	if i, ok := u.index[w]; ok {
		return i
	}
	i, _ := slices.BinarySearchFunc(u.folded, w, func(x policy.User, w userAccount) int {
		return cmp.Or(cmp.Compare(x.Name, w.name), cmp.Compare(x.Account, w.account))
	})
	u.folded = slices.Insert(u.folded, i, policy.User{Name: w.name, Account: w.account})
	u.index = make(map[userAccount]int, len(u.folded))
	for k := range u.folded {
		u.index[userAccount{u.folded[k].Name, u.folded[k].Account}] = k
	}
	return i
}

// totals returns the decayed use of every user, sorted, and the undecayed use of
// the last day of every account, with the spans of open runs counted in.
func (u *usage) totals(open []usageSpan, now time.Time) ([]policy.User, map[string]policy.GPUSeconds) {
	u.foldOld(now)
	for _, list := range [][]usageSpan{u.spans, open} {
		for i := range list {
			u.indexOf(list[i].user) // so that every user has a place
		}
	}
	users, recent := slices.Clone(u.folded), map[string]policy.GPUSeconds{}
	for _, list := range [][]usageSpan{u.spans, open} {
		for i := range list {
			s := &list[i]
			users[u.indexOf(s.user)].UsedService += s.decayedUse(now, u.halfLife)
			from := policy.Later(s.start, now.Add(-policy.RecentWindow))
			recent[s.user.account] += policy.ServiceForTime(float64(s.gpus), max(s.stop.Sub(from), 0))
		}
	}
	return users, recent
}

// foldOld brings the old sum up to now and adds the spans that are old by now.
func (u *usage) foldOld(now time.Time) {
	if u.at.IsZero() {
		u.at = now
	}
	fade := policy.DecayFactor(now.Sub(u.at).Seconds(), u.halfLife.Seconds())
	for i := range u.folded {
		u.folded[i].UsedService *= policy.GPUSeconds(fade)
	}
	u.at = now
	u.spans = slices.DeleteFunc(u.spans, func(s usageSpan) bool {
		if now.Sub(s.stop) < policy.FoldUsageAfter {
			return false
		}
		u.folded[u.indexOf(s.user)].UsedService += s.decayedUse(now, u.halfLife)
		return true
	})
}

// decayedUse is what the span is worth as of now.
func (s *usageSpan) decayedUse(now time.Time, halfLife time.Duration) policy.GPUSeconds {
	return policy.DecayedService(float64(s.gpus), now.Sub(s.start).Seconds(), now.Sub(s.stop).Seconds(), halfLife.Seconds())
}
