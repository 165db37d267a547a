package memstore

import (
	"cmp"
	"slices"
	"time"

	"fairbridge/policy"
)

// usageSpan is a stretch in which a run held GPUs.
type usageSpan struct {
	user     userAccount
	gpuCount int
	start    time.Time
	stop     time.Time
}

// usage is decayed service per user. Spans that ended long ago are folded into
// one sum: decay makes that exact.
type usage struct {
	halfLife    time.Duration
	spans       []usageSpan
	foldedUsers []policy.User       // every user seen, sorted, with what is folded, decayed as of at
	indexByUser map[userAccount]int // in foldedUsers
	foldedAt    time.Time
}

// setInitialUse takes what users had used before.
func (u *usage) setInitialUse(users []policy.User, at time.Time) {
	u.foldedAt = at
	for i := range users {
		u.foldedUsers[u.indexOfUser(userAccount{users[i].Name, users[i].Account})].UsedService += users[i].UsedService
	}
}

// userAccount is a user in an account.
type userAccount struct{ user, account string }

// indexOfUser returns the user's place in foldedUsers.
func (u *usage) indexOfUser(w userAccount) int {
	if i, ok := u.indexByUser[w]; ok {
		return i
	}
	i, _ := slices.BinarySearchFunc(u.foldedUsers, w, func(x policy.User, w userAccount) int {
		return cmp.Or(cmp.Compare(x.Name, w.user), cmp.Compare(x.Account, w.account))
	})
	u.foldedUsers = slices.Insert(u.foldedUsers, i, policy.User{Name: w.user, Account: w.account})
	u.indexByUser = make(map[userAccount]int, len(u.foldedUsers))
	for k := range u.foldedUsers {
		u.indexByUser[userAccount{u.foldedUsers[k].Name, u.foldedUsers[k].Account}] = k
	}
	return i
}

// sumUse returns the decayed use of every user, sorted, and the undecayed use of
// the last day of every account, with the spans of open runs counted in.
func (u *usage) sumUse(open []usageSpan, now time.Time) ([]policy.User, map[string]policy.GPUSeconds) {
	u.foldOldSpans(now)
	for _, list := range [][]usageSpan{u.spans, open} {
		for i := range list {
			u.indexOfUser(list[i].user) // so that every user has a place
		}
	}
	users, recent := slices.Clone(u.foldedUsers), map[string]policy.GPUSeconds{}
	for _, list := range [][]usageSpan{u.spans, open} {
		for i := range list {
			s := &list[i]
			users[u.indexOfUser(s.user)].UsedService += s.decayedUse(now, u.halfLife)
			from := policy.Later(s.start, now.Add(-policy.RecentWindow))
			recent[s.user.account] += policy.ServiceForTime(float64(s.gpuCount), max(s.stop.Sub(from), 0))
		}
	}
	return users, recent
}

// foldOldSpans brings the old sum up to now and adds the spans that are old by now.
func (u *usage) foldOldSpans(now time.Time) {
	if u.foldedAt.IsZero() {
		u.foldedAt = now
	}
	fade := policy.DecayFactor(now.Sub(u.foldedAt).Seconds(), u.halfLife.Seconds())
	for i := range u.foldedUsers {
		u.foldedUsers[i].UsedService *= policy.GPUSeconds(fade)
	}
	u.foldedAt = now
	u.spans = slices.DeleteFunc(u.spans, func(s usageSpan) bool {
		if now.Sub(s.stop) < policy.FoldUsageAfter {
			return false
		}
		u.foldedUsers[u.indexOfUser(s.user)].UsedService += s.decayedUse(now, u.halfLife)
		return true
	})
}

// decayedUse is what the span is worth as of now.
func (s *usageSpan) decayedUse(now time.Time, halfLife time.Duration) policy.GPUSeconds {
	return policy.DecayedService(float64(s.gpuCount), now.Sub(s.start).Seconds(), now.Sub(s.stop).Seconds(), halfLife.Seconds())
}
