package share_test

import (
	"math"
	"testing"

	"fairbridge/policy"
	"fairbridge/policy/share"
)

func person(account, user string, used float64) policy.User {
	return policy.User{Account: account, Name: user, UsedService: policy.GPUSeconds(used)}
}

// TestFairTree: A is below its share and B above, so all of A ranks before all
// of B, whatever their users did; within an account the one who used less is
// first, and users who used alike tie. C and D tie, so their users are ranked
// together.
func TestFairTree(t *testing.T) {
	for _, c := range []struct {
		name     string
		accounts []policy.Account
		users    []policy.User
		want     map[share.Person]float64
	}{
		{"accounts before users", []policy.Account{{Name: "A", Weight: 3}, {Name: "B", Weight: 1}},
			[]policy.User{person("A", "ann", 90), person("A", "bob", 10), person("B", "cid", 50), person("B", "dan", 50)},
			map[share.Person]float64{{"A", "bob"}: 1, {"A", "ann"}: .75, {"B", "cid"}: .5, {"B", "dan"}: .5}},
		{"who used nothing is first", []policy.Account{{Name: "A", Weight: 1}, {Name: "B", Weight: 9}},
			[]policy.User{person("A", "ann", 0), person("B", "cid", 5)},
			map[share.Person]float64{{"A", "ann"}: 1, {"B", "cid"}: .5}},
		{"tied accounts are ranked as one", []policy.Account{{Name: "C", Weight: 1}, {Name: "D", Weight: 1}},
			[]policy.User{person("C", "ann", 30), person("C", "bob", 10), person("D", "cid", 20), person("D", "dan", 20)},
			map[share.Person]float64{{"C", "bob"}: 1, {"D", "cid"}: .75, {"D", "dan"}: .75, {"C", "ann"}: .25}},
		{"nobody's jobs", nil, []policy.User{person("", "", 5), person("", "ann", 0)},
			map[share.Person]float64{{"", "ann"}: 1, {"", ""}: .5}},
		{"levels", []policy.Account{{Name: "root", Weight: 1}, {Name: "A", Parent: "root", Weight: 1}, {Name: "B", Parent: "root", Weight: 1}, {Name: "B1", Parent: "B", Weight: 1}, {Name: "B2", Parent: "B", Weight: 1}},
			[]policy.User{person("A", "ann", 60), person("B1", "bob", 40), person("B2", "cid", 0)},
			map[share.Person]float64{{"B2", "cid"}: 1, {"B1", "bob"}: 2. / 3, {"A", "ann"}: 1. / 3}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := share.FairShare(&policy.Snapshot{Accounts: c.accounts, Users: c.users}, true)
			for p, want := range c.want {
				if math.Abs(got[p]-want) > 1e-12 {
					t.Errorf("%v has %g, want %g (%v)", p, got[p], want, got)
				}
			}
		})
	}
}

// TestClassicFairShare: an account that used exactly its share has a half, one
// that used nothing has one, and twice the share gives a quarter.
func TestClassicFairShare(t *testing.T) {
	s := &policy.Snapshot{
		Accounts: []policy.Account{{Name: "A", Weight: 1}, {Name: "B", Weight: 1}},
		Users:    []policy.User{person("A", "ann", 50), person("B", "bob", 50)},
		Jobs:     []policy.Job{{User: "new", Account: "C"}},
	}
	got := share.FairShare(s, false)
	// Three accounts of one share each: A and B used half with a third.
	want := math.Exp2(-.5 * 3)
	if a := got[share.Person{Account: "A", User: "ann"}]; math.Abs(a-want) > 1e-12 {
		t.Errorf("A has %g, want %g", a, want)
	}
	if c := got[share.Person{Account: "C", User: "new"}]; c != 1 {
		t.Errorf("C has %g, want 1", c)
	}
	// Within an account, effective usage is half a person's own and half the mates'.
	s.Users = append(s.Users, person("A", "amy", 0))
	got = share.FairShare(s, false)
	want = math.Exp2(-.25 * 6)
	if a := got[share.Person{Account: "A", User: "amy"}]; math.Abs(a-want) > 1e-12 {
		t.Errorf("amy has %g, want %g", a, want)
	}
}
