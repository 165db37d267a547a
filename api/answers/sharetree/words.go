package sharetree

import (
	"cmp"
	"fmt"
	"slices"

	"fairbridge/api"
)

// nearly is by which part of its entitlement an account may be off and still count as near it.
const nearly = .1

// Words says where an account stands: what it is entitled to, what it had, and beside whom among its siblings
// that puts it. all are the accounts that may be named.
func Words(a *api.AccountShare, all []api.AccountShare) string {
	text := fmt.Sprintf("%s is entitled to %s of the cluster and had %s of what was used lately", a.Name, percent(a.Entitled), percent(a.UsedPart))
	if a.UsedPart == 0 && a.UsedService == 0 {
		text = fmt.Sprintf("%s is entitled to %s of the cluster and used nothing lately", a.Name, percent(a.Entitled))
	}
	switch {
	case a.UsedPart > a.Entitled*(1+nearly):
		if best := mostOwed(a, all); best != nil {
			return text + ": where shares decide, its jobs stand behind those of " + best.Name + "."
		}
		return text + ": more than its share."
	case a.UsedPart < a.Entitled*(1-nearly):
		return text + ": where shares decide, its jobs go before those of accounts that had more than their share."
	}
	return text + ": about its share."
}

// mostOwed returns the sibling that wants something and had the least of what it is entitled to; nil: none had
// less of it than the account.
func mostOwed(a *api.AccountShare, all []api.AccountShare) *api.AccountShare {
	var best *api.AccountShare
	for i := range all {
		b := &all[i]
		if b.Name == a.Name || b.Parent != a.Parent || b.AccountJobs == nil || b.WaitingJobs == 0 || relativeUse(b) >= relativeUse(a) {
			continue
		}
		if best == nil || relativeUse(b) < relativeUse(best) {
			best = b
		}
	}
	return best
}

// relativeUse is what an account had over what it is entitled to.
func relativeUse(a *api.AccountShare) float64 {
	if a.Entitled <= 0 {
		return 0
	}
	return a.UsedPart / a.Entitled
}

// percent writes a part of 1, small ones with a digit more.
func percent(part float64) string {
	if p := 100 * part; p > 0 && p < 10 {
		return fmt.Sprintf("%.1f %%", p)
	}
	return fmt.Sprintf("%.0f %%", 100*part)
}

// SortUsers sorts users by account and name.
func SortUsers(users []api.UserShare) {
	slices.SortFunc(users, func(x, y api.UserShare) int {
		return cmp.Or(cmp.Compare(x.Account, y.Account), cmp.Compare(x.Name, y.Name))
	})
}
