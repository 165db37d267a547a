package fairshare_test

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"fairbridge/policy"
	"fairbridge/policy/share"
	"fairbridge/replica/sim/fairshare"
)

// TestFairTreeRanksAccountsBeforeUsers: a used less of its shares than b, so that its heaviest user goes
// before all of b's; c and d used as much of theirs, and their users are one row.
func TestFairTreeRanksAccountsBeforeUsers(t *testing.T) {
	u := fairshare.NewUsage([]fairshare.Account{{Name: "a", Shares: 2}, {Name: "b"}, {Name: "c", Shares: 2}, {Name: "d", Shares: 2}}, time.Hour, time.Unix(0, 0))
	for _, x := range []struct {
		account, user string
		use           float64
	}{{"a", "ann", 90}, {"a", "al", 10}, {"b", "bob", 1}, {"b", "bea", 99}, {"c", "cid", 200}, {"c", "cat", 100}, {"d", "dan", 150}, {"d", "deb", 150}} {
		u.AddUse(fairshare.Association{Account: x.account, User: x.user}, x.use)
	}
	for i, names := range [][]string{{"a", "al"}, {"a", "ann"}, {"b", "bob"}, {"b", "bea"}, {"c", "cat"}, {"d", "dan"}, {"d", "deb"}, {"c", "cid"}} {
		want := float64(8-i) / 8
		if names[1] == "deb" {
			want = 3. / 8 // as dan
		}
		if f := u.FairTreeFactor(fairshare.Association{Account: names[0], User: names[1]}); f != want {
			t.Errorf("%v: %g, want %g", names, f, want)
		}
	}
	if f := u.FairTreeFactor(fairshare.Association{Account: "e", User: "eve"}); f != 1 {
		t.Errorf("who used nothing has %g", f)
	}
}

// TestFairTreeIsThatOfThePolicy: policy multifactor works out Fair Tree by itself, from the jobs and accounts
// of a snapshot, and comes to the same.
func TestFairTreeIsThatOfThePolicy(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var accounts []fairshare.Account
		s := &policy.Snapshot{}
		for i := range rapid.IntRange(1, 5).Draw(t, "accounts") {
			a := fairshare.Account{Name: fmt.Sprint("a", i), Shares: float64(rapid.IntRange(1, 3).Draw(t, "shares"))}
			accounts = append(accounts, a)
		}
		u := fairshare.NewUsage(accounts, time.Hour, time.Unix(0, 0))
		var all []fairshare.Association
		for _, a := range accounts {
			used := 0
			for k := range rapid.IntRange(1, 4).Draw(t, "users") {
				n := rapid.IntRange(0, 4).Draw(t, "use") * 64
				as := fairshare.Association{Account: a.Name, User: fmt.Sprint(a.Name, "u", k)}
				u.AddUse(as, float64(n))
				used += n
				all = append(all, as)
				s.Users = append(s.Users, policy.User{Account: a.Name, Name: as.User, UsedService: policy.GPUSeconds(n)})
			}
			s.Accounts = append(s.Accounts, policy.Account{Name: a.Name, Weight: a.Shares, UsedService: policy.GPUSeconds(used)})
		}
		want := share.FairShare(s, true)
		for _, a := range all {
			if f := u.FairTreeFactor(a); f != want[share.Person(a)] {
				t.Fatalf("%v: %g, by the policy %g of %v", a, f, want[share.Person(a)], want)
			}
		}
	})
}
