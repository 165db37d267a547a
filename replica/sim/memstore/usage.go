package memstore

import (
	"cmp"
	"slices"
	"time"

	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// usageSpan is a stretch in which a run held GPUs.
type usageSpan struct {
	user        userAccount
	gpuCount    int
	chargedGPUs float64 // gpuCount, each times the weight of its type
	start       time.Time
	stop        time.Time
}

// usage is decayed service per user. Spans that ended long ago are folded into
// one sum: decay makes that exact.
type usage struct {
	halfLife    time.Duration
	weights     policy.BillingWeights
	spans       []usageSpan
	foldedUsers []policy.User       // every user seen, sorted, with what is folded, decayed as of at
	indexByUser map[userAccount]int // in foldedUsers
	foldedAt    time.Time
}

// setInitialUse takes what users had used before.
func (u *usage) setInitialUse(users []policy.User, at time.Time) {
	u.foldedAt = at
	for i := range users {
		to := &u.foldedUsers[u.indexOfUser(userAccount{users[i].Name, users[i].Account})]
		to.UsedService += users[i].UsedService
		to.HeldService += cmp.Or(users[i].HeldService, users[i].UsedService)
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
			s.addDecayedUse(&users[u.indexOfUser(s.user)], now, u.halfLife)
			from := policy.Later(s.start, now.Add(-policy.RecentWindow))
			recent[s.user.account] += policy.ServiceForTime(float64(s.gpuCount), max(s.stop.Sub(from), 0))
		}
	}
	for i := range users {
		users[i].HeldService = policy.ServiceHeld(users[i].HeldService, users[i].UsedService)
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
		u.foldedUsers[i].HeldService *= policy.GPUSeconds(fade)
	}
	u.foldedAt = now
	u.spans = slices.DeleteFunc(u.spans, func(s usageSpan) bool {
		if now.Sub(s.stop) < policy.FoldUsageAfter {
			return false
		}
		s.addDecayedUse(&u.foldedUsers[u.indexOfUser(s.user)], now, u.halfLife)
		return true
	})
}

// addDecayedUse adds what the span is worth as of now, as it is charged and as it was held.
func (s *usageSpan) addDecayedUse(to *policy.User, now time.Time, halfLife time.Duration) {
	worth := func(gpus float64) policy.GPUSeconds {
		return policy.DecayedService(gpus, now.Sub(s.start).Seconds(), now.Sub(s.stop).Seconds(), halfLife.Seconds())
	}
	to.UsedService += worth(s.chargedGPUs)
	to.HeldService += worth(float64(s.gpuCount))
}

// chargedGPUs returns the GPUs that a job holds, each times the weight of its type.
func (u *usage) chargedGPUs(j *slurm.Job) float64 {
	n := j.GPUCount()
	if len(u.weights) == 0 {
		return float64(n)
	}
	sum := 0.0
	for _, held := range j.HeldDevices(nil) {
		sum += u.weights.Of(held.Type) * float64(held.Count)
		n -= held.Count
	}
	return sum + u.weights.Of("")*float64(n) // what is not told by type
}
