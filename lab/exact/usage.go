package exact

import (
	"cmp"
	"slices"

	"fairbridge/policy"
	"fairbridge/replica/workload"
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
	charged, held   decayedSum  // times the weights of types, and of any type alike
	addedByHour     [25]float64 // undecayed, a ring of hours
	lastDaySum      float64     // sum of them
	limitShareSum   float64     // sum of shares of time limits used
	limitShareCount int
}

// decayedSum is GPU-seconds up to decayedUses.decayedAt, decayed, and since then.
type decayedSum struct{ sum, addedSince float64 }

// advance decays the sum and adds what is new.
func (d *decayedSum) advance(keep float64) { d.sum, d.addedSince = d.sum*keep+d.addedSince, 0 }

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
		a := &u.accounts[i]
		u.decayedBy.account.entries[i].setEarlierUse(a.UsedService, a.HeldService)
	}
	for i := range u.users {
		for _, x := range users {
			if x.Name == u.users[i].Name && x.Account == u.users[i].Account {
				u.decayedBy.user.entries[i].setEarlierUse(x.UsedService, x.HeldService)
			}
		}
	}
}

// setEarlierUse sets what was used before.
func (d *decayedUse) setEarlierUse(used, held policy.GPUSeconds) {
	d.charged.sum, d.held.sum = float64(used), float64(cmp.Or(held, used))
}

// assignAccountAndUser tells the job which account and user are its own.
func (u *usage) assignAccountAndUser(j *job) {
	j.accountIndex, _ = slices.BinarySearchFunc(u.accounts, j.Account, func(a policy.Account, name string) int { return cmp.Compare(a.Name, name) })
	j.userIndex, _ = slices.BinarySearchFunc(u.users, j.Job, func(u policy.User, w *workload.Job) int {
		return cmp.Or(cmp.Compare(u.Name, w.User), cmp.Compare(u.Account, w.Account))
	})
}

// chargeJob books GPU-seconds that a job held, and what is charged for them.
func (u *usage) chargeJob(j *job, held, charged float64) {
	for _, x := range []*decayedUse{&u.decayedBy.account.entries[j.accountIndex], &u.decayedBy.user.entries[j.userIndex]} {
		x.held.addedSince += held
		x.charged.addedSince += charged
	}
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
		a.UsedService, a.HeldService, a.RecentService = policy.GPUSeconds(x.charged.sum), x.serviceHeld(), policy.GPUSeconds(x.lastDaySum)
	}
	for i := range u.users {
		x := &u.decayedBy.user.entries[i]
		u.users[i].UsedService, u.users[i].HeldService = policy.GPUSeconds(x.charged.sum), x.serviceHeld()
		if x.limitShareCount > 0 {
			u.users[i].TypicalLimitUse = policy.KnownValue(x.limitShareSum / float64(x.limitShareCount))
		}
	}
}

// serviceHeld is what was held, as policies see it.
func (d *decayedUse) serviceHeld() policy.GPUSeconds {
	return policy.ServiceHeld(policy.GPUSeconds(d.held.sum), policy.GPUSeconds(d.charged.sum))
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
		a.addedByHour[hour%len(a.addedByHour)] += a.held.addedSince
		a.lastDaySum = max(a.lastDaySum+a.held.addedSince, 0)
		a.charged.advance(keep)
		a.held.advance(keep)
	}
	u.decayedAt, u.currentHour = now, hour
}
