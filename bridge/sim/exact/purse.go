package exact

import (
	"cmp"
	"math"
	"slices"

	"fairbridge/bridge/sim/work"
	"fairbridge/policy"
)

// halfLife is that of decayed usage, in seconds: Slurm's default of a week.
const halfLife = 7 * 24 * 3600

// purses count what accounts, or users, have used.
type purses struct {
	all  []purse
	last float64 // when it was decayed
	hour int
}

type purse struct {
	used, fresh float64     // decayed; since the last decision
	hours       [25]float64 // undecayed, a ring of hours
	recent      float64     // sum of them
	limit       float64     // sum of shares of time limits used
	limits      int
}

func (p *purses) charge(who int, amount float64) { p.all[who].fresh += amount }

func (p *purses) limits(who int, share float64) {
	p.all[who].limit += min(share, 1)
	p.all[who].limits++
}

// settle decays what was used, and adds what is new.
func (p *purses) settle(now float64) {
	keep := math.Exp2(-(now - p.last) / halfLife)
	hour := int(now / 3600)
	for i := range p.all {
		a := &p.all[i]
		for h := p.hour + 1; h <= hour && h <= p.hour+len(a.hours); h++ {
			a.recent -= a.hours[h%len(a.hours)]
			a.hours[h%len(a.hours)] = 0
		}
		a.used = a.used*keep + a.fresh
		a.hours[hour%len(a.hours)] += a.fresh
		a.recent = max(a.recent+a.fresh, 0)
		a.fresh = 0
	}
	p.last, p.hour = now, hour
}

// open gives every account and user of the workload a purse.
func (e *engine) open(c Config) {
	accounts, users := map[string]bool{}, map[[2]string]bool{}
	e.snap.Accounts = slices.Clone(c.Accounts)
	for _, a := range c.Accounts {
		accounts[a.Name] = true
	}
	for i := range e.jobs {
		j := &e.jobs[i]
		if !accounts[j.Account] {
			accounts[j.Account] = true
			e.snap.Accounts = append(e.snap.Accounts, policy.Account{Name: j.Account})
		}
		if u := [2]string{j.User, j.Account}; !users[u] {
			users[u] = true
			e.snap.Users = append(e.snap.Users, policy.User{Name: j.User, Account: j.Account})
		}
	}
	slices.SortFunc(e.snap.Accounts, func(a, b policy.Account) int { return cmp.Compare(a.Name, b.Name) })
	slices.SortFunc(e.snap.Users, func(a, b policy.User) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Account, b.Account))
	})
	e.accounts.all, e.users.all = make([]purse, len(e.snap.Accounts)), make([]purse, len(e.snap.Users))
	for i := range e.jobs {
		e.own(&e.jobs[i])
	}
	for i := range e.snap.Accounts {
		e.accounts.all[i].used = float64(e.snap.Accounts[i].Used)
	}
	used := work.Used(c.Accounts, c.Jobs)
	for i := range e.snap.Users { // both are sorted, and of the same jobs
		for _, u := range used {
			if u.Name == e.snap.Users[i].Name && u.Account == e.snap.Users[i].Account {
				e.users.all[i].used = float64(u.Used)
			}
		}
	}
}

// own finds the purses of a job.
func (e *engine) own(j *job) {
	j.account, _ = slices.BinarySearchFunc(e.snap.Accounts, j.Account, func(a policy.Account, name string) int { return cmp.Compare(a.Name, name) })
	j.user, _ = slices.BinarySearchFunc(e.snap.Users, j.Job, func(u policy.User, w *work.Job) int {
		return cmp.Or(cmp.Compare(u.Name, w.User), cmp.Compare(u.Account, w.Account))
	})
}

// show puts the purses into the snapshot.
func (e *engine) show() {
	e.accounts.settle(e.now)
	e.users.settle(e.now)
	for i := range e.snap.Accounts {
		a := &e.snap.Accounts[i]
		a.Used, a.Recent = policy.GPUSeconds(e.accounts.all[i].used), policy.GPUSeconds(e.accounts.all[i].recent)
	}
	for i := range e.snap.Users {
		p := &e.users.all[i]
		e.snap.Users[i].Used = policy.GPUSeconds(p.used)
		if p.limits > 0 {
			e.snap.Users[i].LimitUse = policy.Known(p.limit / float64(p.limits))
		}
	}
}
