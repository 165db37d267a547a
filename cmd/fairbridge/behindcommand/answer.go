package behindcommand

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"fairbridge/api"
	"fairbridge/api/sharecompare"
	"fairbridge/bridge/printable"
)

// mostComparisons is how many accounts ahead are told of.
const mostComparisons = 5

// newAnswer compares the account with the other one, or with those ahead of it. account is "" for that in which
// the user used most. Errors say what is not known, or not for who asks.
func newAnswer(s *api.Shares, user, account, other string) (*Answer, error) {
	if account = cmp.Or(account, accountOf(s, user)); account == "" {
		return nil, errors.New("it is not known which account is yours: nothing of you is on record yet; name it by -A ACCOUNT (\"fairbridge shares\" lists those that you may see)")
	}
	own, err := findAccount(s, account)
	if err != nil {
		return nil, err
	}
	halfLife := time.Duration(s.HalfLife * float64(time.Second))
	out := &Answer{Account: own.Name, AsOf: s.AsOf, Stale: s.Stale, HalfLife: s.HalfLife, Comparisons: []sharecompare.Comparison{}}
	if other == "" {
		for _, x := range accountsAhead(s, own) {
			out.Comparisons = append(out.Comparisons, sharecompare.Compare(own, x, halfLife))
		}
		return out, nil
	}
	beside, err := findAccount(s, other)
	switch {
	case err != nil:
		return nil, err
	case areRelated(s, own.Name, beside.Name):
		return nil, fmt.Errorf("%s and %s are no rivals: one is the other, or part of it, and has its share of what that has", printable.Truncate(own.Name, 40), printable.Truncate(beside.Name, 40))
	}
	out.Comparisons = append(out.Comparisons, sharecompare.Compare(own, beside, halfLife))
	return out, nil
}

// accountOf returns the account in which the user used most; "": none is known.
func accountOf(s *api.Shares, user string) string {
	var most *api.UserShare
	for i := range s.Users {
		if u := &s.Users[i]; u.Name == user && (most == nil || u.UsedService > most.UsedService) {
			most = u
		}
	}
	if most == nil {
		return ""
	}
	return most.Account
}

// findAccount returns an account whose use may be seen.
func findAccount(s *api.Shares, name string) (*api.AccountShare, error) {
	i := slices.IndexFunc(s.Accounts, func(a api.AccountShare) bool { return a.Name == name })
	switch {
	case i < 0:
		return nil, fmt.Errorf("account %s is not known here, or not yours to see: \"fairbridge shares\" lists those that you may see", printable.Truncate(name, 40))
	case s.Accounts[i].AccountUse == nil:
		return nil, fmt.Errorf("what account %s used is private here", printable.Truncate(name, 40))
	}
	return &s.Accounts[i], nil
}

// accountsAhead returns accounts whose jobs would go before those of the account's where shares decide, the furthest
// first: those that have jobs waiting, or of which that is private.
func accountsAhead(s *api.Shares, own *api.AccountShare) (ahead []*api.AccountShare) {
	for i := range s.Accounts {
		a := &s.Accounts[i]
		if a.AccountUse == nil || a.AccountJobs != nil && a.WaitingJobs == 0 || areRelated(s, own.Name, a.Name) ||
			sharecompare.Compare(own, a, 0).First != a.Name {
			continue
		}
		ahead = append(ahead, a)
	}
	slices.SortStableFunc(ahead, func(x, y *api.AccountShare) int {
		return cmp.Compare(sharecompare.UseOverShare(x), sharecompare.UseOverShare(y))
	})
	return ahead[:min(len(ahead), mostComparisons)]
}

// areRelated reports whether one of two accounts is the other or below it.
func areRelated(s *api.Shares, a, b string) bool {
	return sharecompare.IsBelow(s.Accounts, a, b) || sharecompare.IsBelow(s.Accounts, b, a)
}
