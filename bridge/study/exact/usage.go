package exact

import (
	"cmp"
	"slices"

	"fairbridge/bridge/study/workload"
	"fairbridge/policy"
)

// usageHalfLifeSeconds is that of decayed usage, in seconds: Slurm's default of a week.
const usageHalfLifeSeconds = 7 * 24 * 3600

// usage is what accounts and users have used.
type usage struct {
	accounts  []policy.Account // by name, as policies are to see them
	users     []policy.User    // by name and account
	decayedBy struct{ account, user decayedUses }
}

// decayedUses are those of all accounts, or of all users.
type decayedUses struct {
	entries     []decayedUse
	decayedAt   float64 // when they were decayed
	currentHour int
}

// decayedUse is what one account or user has used, in GPU-seconds.
type decayedUse struct {
	decayedSum, addedSince float64     // up to decayedUses.last; since then
	addedByHour            [25]float64 // undecayed, a ring of hours
	lastDaySum             float64     // sum of them
	limitShareSum          float64     // sum of shares of time limits used
	limitShareCount        int
}

// newUsage has what the accounts used before, for every account and user of the
// workload. It tells every job which are its own.
func newUsage(accounts []policy.Account, list []workload.Job, jobs []job) *usage {
	u := &usage{accounts: slices.Clone(accounts)}
	known, users := map[string]bool{}, map[[2]string]bool{}
	for _, a := range accounts {
		known[a.Name] = true
	}
	for i := range jobs {
		j := &jobs[i]
		if !known[j.Account] {
			known[j.Account] = true
			u.accounts = append(u.accounts, policy.Account{Name: j.Account})
		}
		if x := [2]string{j.User, j.Account}; !users[x] {
			users[x] = true
			u.users = append(u.users, policy.User{Name: j.User, Account: j.Account})
		}
	}
	slices.SortFunc(u.accounts, func(a, b policy.Account) int { return cmp.Compare(a.Name, b.Name) })
	slices.SortFunc(u.users, func(a, b policy.User) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Account, b.Account))
	})
	for i := range jobs {
		u.assignAccountAndUser(&jobs[i])
	}
	u.addEarlierUse(workload.SplitAccountUse(accounts, list))
	return u
}

// addEarlierUse books what was used before the workload, by users and accounts.
func (u *usage) addEarlierUse(users []policy.User) {
	u.decayedBy.account.entries, u.decayedBy.user.entries = make([]decayedUse, len(u.accounts)), make([]decayedUse, len(u.users))
	for i := range u.accounts {
		u.decayedBy.account.entries[i].decayedSum = float64(u.accounts[i].UsedService)
	}
	for i := range u.users {
		for _, x := range users {
			if x.Name == u.users[i].Name && x.Account == u.users[i].Account {
				u.decayedBy.user.entries[i].decayedSum = float64(x.UsedService)
			}
		}
	}
}

// assignAccountAndUser tells the job which account and user are its own.
func (u *usage) assignAccountAndUser(j *job) {
	j.accountIndex, _ = slices.BinarySearchFunc(u.accounts, j.Account, func(a policy.Account, name string) int { return cmp.Compare(a.Name, name) })
	j.userIndex, _ = slices.BinarySearchFunc(u.users, j.Job, func(u policy.User, w *workload.Job) int {
		return cmp.Or(cmp.Compare(u.Name, w.User), cmp.Compare(u.Account, w.Account))
	})
}

// chargeJob books GPU-seconds of a job.
func (u *usage) chargeJob(j *job, gpuSeconds float64) {
	u.decayedBy.account.entries[j.accountIndex].addedSince += gpuSeconds
	u.decayedBy.user.entries[j.userIndex].addedSince += gpuSeconds
}

// noteLimitUse notes which share of its time limit an ended job needed.
func (u *usage) noteLimitUse(j *job) {
	if j.TimeLimit > 0 {
		x := &u.decayedBy.user.entries[j.userIndex]
		x.limitShareSum += min(j.outcome.HeldSeconds/j.TimeLimit.Seconds(), 1)
		x.limitShareCount++
	}
}

// updateTo brings what policies see up to now, in seconds since the start.
func (u *usage) updateTo(now float64) {
	u.decayedBy.account.advanceTo(now)
	u.decayedBy.user.advanceTo(now)
	for i := range u.accounts {
		a, x := &u.accounts[i], &u.decayedBy.account.entries[i]
		a.UsedService, a.RecentService = policy.GPUSeconds(x.decayedSum), policy.GPUSeconds(x.lastDaySum)
	}
	for i := range u.users {
		x := &u.decayedBy.user.entries[i]
		u.users[i].UsedService = policy.GPUSeconds(x.decayedSum)
		if x.limitShareCount > 0 {
			u.users[i].TypicalLimitUse = policy.KnownValue(x.limitShareSum / float64(x.limitShareCount))
		}
	}
}

// advanceTo decays what was used, and adds what is new.
func (u *decayedUses) advanceTo(now float64) {
	keep := policy.DecayFactor(now-u.decayedAt, usageHalfLifeSeconds)
	hour := int(now / 3600)
	for i := range u.entries {
		a := &u.entries[i]
		for h := u.currentHour + 1; h <= hour && h <= u.currentHour+len(a.addedByHour); h++ {
			a.lastDaySum -= a.addedByHour[h%len(a.addedByHour)]
			a.addedByHour[h%len(a.addedByHour)] = 0
		}
		a.decayedSum = a.decayedSum*keep + a.addedSince
		a.addedByHour[hour%len(a.addedByHour)] += a.addedSince
		a.lastDaySum = max(a.lastDaySum+a.addedSince, 0)
		a.addedSince = 0
	}
	u.decayedAt, u.currentHour = now, hour
}
