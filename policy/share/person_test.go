package share_test

import (
	"maps"
	"testing"

	"fairbridge/policy"
	"fairbridge/policy/share"
)

// TestPersonWeights: an account's part is divided by weight among those of it that want
// something; users without a weight, jobs without an account and accounts that are not known
// have one share.
func TestPersonWeights(t *testing.T) {
	s := &policy.Snapshot{
		Accounts: []policy.Account{{Name: "nlp", Weight: 1}, {Name: "vision", Weight: 3}},
		Users:    []policy.User{{Name: "ann", Account: "vision", Weight: 2}, {Name: "bob", Account: "vision"}, {Name: "cat", Account: "vision", Weight: 9}},
	}
	for name, want := range map[string]map[share.Person]float64{
		"by weight":          {{"vision", "ann"}: .5, {"vision", "bob"}: .25, {"nlp", "ann"}: .25},
		"one alone":          {{"vision", "bob"}: 1},
		"no account":         {{"", "ann"}: .5, {"", "bob"}: .5},
		"none beside others": {{"", ""}: .25, {"vision", "cat"}: .75},
		"not known":          {{"other", "eve"}: .5, {"nlp", "bob"}: .5},
	} {
		var persons []share.Person
		for p := range want {
			persons = append(persons, p)
		}
		got := map[share.Person]float64{}
		for i, w := range share.PersonWeights(s, persons) {
			got[persons[i]] = w
		}
		if !maps.Equal(got, want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}
