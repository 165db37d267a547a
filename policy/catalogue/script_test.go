package catalogue_test

import (
	"testing"

	"fairbridge/gear/policytest"
	"fairbridge/policy"
	"fairbridge/policy/catalogue"
)

// TestScripts runs the worked examples of the papers.
func TestScripts(t *testing.T) {
	policytest.RunScripts(t, "../paper/*/testdata/*.txtar", func(name string, params map[string]any) (policy.Policy, error) {
		e, err := catalogue.FindSystem(name)
		if err != nil {
			return nil, err
		}
		return e.New(params)
	})
}
