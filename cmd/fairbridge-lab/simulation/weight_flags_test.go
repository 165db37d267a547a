package simulation

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"fairbridge/policy"
)

// TestWeights reads what is right and refuses what is not.
func TestWeights(t *testing.T) {
	for text, want := range map[string]policy.BillingWeights{
		"": nil, "t4=0.25": {"t4": .25}, "a100=1,t4=0": {"a100": 1, "t4": 0},
		"t4": nil, "t4=": nil, "=1": nil, "t4=-1": nil, "t4=NaN": nil, "t4=1001": nil, "t4=1,t4=2": nil, "t4=x": nil, ",": nil,
	} {
		var f weightFlags
		c := &cobra.Command{}
		f.add(c)
		if err := c.Flags().Set("billing-weights", text); err != nil {
			t.Fatal(err)
		}
		got, err := f.weights()
		if d := cmp.Diff(want, got); d != "" || (err == nil) != (want != nil || text == "") {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
}
