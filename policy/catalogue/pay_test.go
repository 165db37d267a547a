package catalogue_test

import (
	"testing"

	"fairbridge/gear/policytest"
	"fairbridge/policy"
)

// TestNobodyBelowItsSharePays: an account that uses less than its share is no
// worse off under the default than under what Slurm does, by more than one in
// twenty, whatever was used before.
func TestNobodyBelowItsSharePays(t *testing.T) {
	system := func(name string) func() policy.Policy {
		return func() policy.Policy { return mustNew(t, name, nil) }
	}
	for name, c := range map[string]struct {
		demands, used [3]float64
		below         []int
	}{
		"nobody used anything yet":      {[3]float64{.6, .2, .2}, [3]float64{}, []int{1, 2}},
		"all used alike, one asks more": {[3]float64{.6, .2, .2}, [3]float64{1, 1, 1}, []int{1, 2}},
		"one used much, one little":     {[3]float64{.45, .35, .2}, [3]float64{6, .1, 3}, []int{1, 2}},
		"all ask alike, one used much":  {[3]float64{.34, .33, .33}, [3]float64{6, 2, 2}, []int{1, 2}},
	} {
		t.Run(name, func(t *testing.T) {
			paid := policytest.CompareSlowdowns(t, system("fairbridge"), system("multifactor"), c.demands, c.used)
			t.Logf("slowdown over that of multifactor, by account: %.2f", paid)
			for _, k := range c.below {
				if paid[k] > 1.05 {
					t.Errorf("account %d asks less than its share and has %.2f times its slowdown under multifactor", k+1, paid[k])
				}
			}
		})
	}
}
