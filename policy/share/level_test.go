package share_test

import (
	"maps"
	"testing"

	"fairbridge/policy"
	"fairbridge/policy/share"
)

func TestLevels(t *testing.T) {
	jobs := []policy.Job{{ID: 1, Account: "a"}, {ID: 2, Account: "b"}}
	used := func(a, b float64) []policy.Account {
		return []policy.Account{{Name: "a", Weight: 3, UsedService: policy.GPUSeconds(a)}, {Name: "b", Weight: 1, UsedService: policy.GPUSeconds(b)}}
	}
	for name, c := range map[string]struct {
		accounts []policy.Account
		jobs     []policy.Job
		want     map[string]float64
	}{
		"by weight":                   {used(50, 50), jobs, map[string]float64{"a": 50. / 75, "b": 2}},
		"as they should":              {used(75, 25), jobs, map[string]float64{"a": 1, "b": 1}},
		"nobody used anything":        {used(0, 0), jobs, map[string]float64{"a": 1, "b": 1}},
		"one is new":                  {used(50, 0), jobs, map[string]float64{"a": 1 / .75, "b": 0}},
		"one is not known":            {nil, jobs, map[string]float64{"a": 1, "b": 1}},
		"alone":                       {used(50, 0), jobs[:1], map[string]float64{"a": 1}},
		"usage without jobs is usage": {used(50, 50), jobs[:1], map[string]float64{"a": 50. / 75, "b": 2}},
	} {
		got := share.UsageOverShare(&policy.Snapshot{Accounts: c.accounts, Jobs: c.jobs})
		if !maps.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
