package workload

import (
	"cmp"
	"slices"

	"fairbridge/policy"
)

// SplitAccountUse divides what accounts had used before a workload began (Account.UsedService,
// decayed to its beginning) equally among their users: those who have jobs in
// it. It returns them sorted by name and account, without those who used
// nothing. What accounts without jobs used is left to a user of their own, so
// that the sums stay.
func SplitAccountUse(accounts []policy.Account, jobs []Job) []policy.User {
	users := map[string][]string{}
	for i := range jobs {
		if j := &jobs[i]; !slices.Contains(users[j.Account], j.User) {
			users[j.Account] = append(users[j.Account], j.User)
		}
	}
	var all []policy.User
	for _, a := range accounts {
		names := users[a.Name]
		if len(names) == 0 {
			names = []string{a.Name}
		}
		for _, name := range names {
			n := policy.GPUSeconds(len(names))
			if u := (policy.User{Name: name, Account: a.Name, UsedService: a.UsedService / n, HeldService: a.HeldService / n}); u.UsedService > 0 || u.HeldService > 0 {
				all = append(all, u)
			}
		}
	}
	slices.SortFunc(all, func(a, b policy.User) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Account, b.Account))
	})
	return all
}
