package catalogue_test

import (
	"testing"
	"time"

	"fairbridge/gear/policytest"
	"fairbridge/policy"
	"fairbridge/policy/catalogue"
	"fairbridge/scripts/verify/part"
)

// slowest are those that let a job wait for up to eight hours: fairbridge one of
// an account above its share, which is first of all after max_wait only; multifactor one of low priority; fifo and elan one that
// EASY would have let pass.
var slowest = map[string]time.Duration{"elan": 8 * time.Hour, "fairbridge": 8 * time.Hour, "fifo": 8 * time.Hour, "multifactor": 8 * time.Hour}

// TestNobodyStarves keeps every system to the bound of policytest.FindStarvingJob, but
// those that say that jobs may starve: they must not say so for nothing.
func TestNobodyStarves(t *testing.T) {
	part.Long(t, testing.Short())
	for _, e := range catalogue.Systems() {
		t.Run(e.Name, func(t *testing.T) {
			least := max(slowest[e.Name], 2*time.Hour)
			system := func(name string) func() policy.Policy {
				return func() policy.Policy { return mustNew(t, name, nil) }
			}
			breach := policytest.FindStarvingJob(t, system(e.Name), system("easy"), least)
			switch {
			case e.MayStarve && breach == "":
				t.Error("says that jobs may starve, and keeps the bound")
			case !e.MayStarve && breach != "":
				t.Error(breach)
			}
		})
	}
}
