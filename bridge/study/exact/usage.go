package exact

import (
	"cmp"
	"slices"

	"fairbridge/bridge/study/workload"
	"fairbridge/policy"
)

// halfLife is that of decayed usage, in seconds: Slurm's default of a week.
const halfLife = 7 * 24 * 3600

// usage is what accounts and users have used.
type usage struct {
	accounts []policy.Account // by name, as policies are to see them
	users    []policy.User    // by name and account
	by       struct{ account, user decayedUses }
}

// decayedUses are those of all accounts, or of all users.
type decayedUses struct {
	all  []decayedUse
	last float64 // when they were decayed
	hour int
}

// decayedUse is what one account or user has used, in GPU-seconds.
type decayedUse struct {
	decayed, added float64     // up to decayedUses.last; since then
	hours          [25]float64 // undecayed, a ring of hours
	recent         float64     // sum of them
	limit          float64     // sum of shares of time limits used
	limits         int
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
		u.assign(&jobs[i])
	}
	u.addEarlierUse(workload.UsedByUsers(accounts, list))
	return u
}

// addEarlierUse books what was used before the workload, by users and accounts.
func (u *usage) addEarlierUse(users []policy.User) {
	u.by.account.all, u.by.user.all = make([]decayedUse, len(u.accounts)), make([]decayedUse, len(u.users))
	for i := range u.accounts {
		u.by.account.all[i].decayed = float64(u.accounts[i].UsedService)
	}
	for i := range u.users {
		for _, x := range users {
			if x.Name == u.users[i].Name && x.Account == u.users[i].Account {
				u.by.user.all[i].decayed = float64(x.UsedService)
			}
		}
	}
}

// assign tells the job which account and user are its own.
func (u *usage) assign(j *job) {
	j.account, _ = slices.BinarySearchFunc(u.accounts, j.Account, func(a policy.Account, name string) int { return cmp.Compare(a.Name, name) })
	j.user, _ = slices.BinarySearchFunc(u.users, j.Job, func(u policy.User, w *workload.Job) int {
		return cmp.Or(cmp.Compare(u.Name, w.User), cmp.Compare(u.Account, w.Account))
	})
}

// charge books GPU-seconds of a job.
func (u *usage) charge(j *job, gpuSeconds float64) {
	u.by.account.all[j.account].added += gpuSeconds
	u.by.user.all[j.user].added += gpuSeconds
}

// noteLimitUse notes which share of its time limit an ended job needed.
func (u *usage) noteLimitUse(j *job) {
	if j.Limit > 0 {
		x := &u.by.user.all[j.user]
		x.limit += min(j.outcome.HeldSeconds/j.Limit.Seconds(), 1)
		x.limits++
	}
}

// update brings what policies see up to now, in seconds since the start.
func (u *usage) update(now float64) {
	u.by.account.advance(now)
	u.by.user.advance(now)
	for i := range u.accounts {
		a, x := &u.accounts[i], &u.by.account.all[i]
		a.UsedService, a.RecentService = policy.GPUSeconds(x.decayed), policy.GPUSeconds(x.recent)
	}
	for i := range u.users {
		x := &u.by.user.all[i]
		u.users[i].UsedService = policy.GPUSeconds(x.decayed)
		if x.limits > 0 {
			u.users[i].TypicalLimitUse = policy.NewMeasure(x.limit / float64(x.limits))
		}
	}
}

// advance decays what was used, and adds what is new.
func (u *decayedUses) advance(now float64) {
	keep := policy.DecayFactor(now-u.last, halfLife)
	hour := int(now / 3600)
	for i := range u.all {
		a := &u.all[i]
		for h := u.hour + 1; h <= hour && h <= u.hour+len(a.hours); h++ {
			a.recent -= a.hours[h%len(a.hours)]
			a.hours[h%len(a.hours)] = 0
		}
		a.decayed = a.decayed*keep + a.added
		a.hours[hour%len(a.hours)] += a.added
		a.recent = max(a.recent+a.added, 0)
		a.added = 0
	}
	u.last, u.hour = now, hour
}
