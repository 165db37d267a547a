package catalogue_test

import (
	"testing"

	"fairbridge/gear/policytest"
	"fairbridge/policy/catalogue"
)

// TestCrowd wants lawful plans at a size that the generated snapshots do not
// reach.
func TestCrowd(t *testing.T) {
	s := policytest.BusyCluster(64, 3000)
	for _, e := range catalogue.Systems() {
		plan, err := mustNew(t, e.Name, nil).Decide(s)
		if err != nil {
			t.Fatal(err)
		}
		if err := plan.Check(s); err != nil {
			t.Errorf("%s: %v", e.Name, err)
		}
	}
}
