package policytest

import (
	"testing"

	"fairbridge/policy"
)

// NewPolicy makes a policy with parameters as they stand in the configuration, as make
// does, or fails the test.
func NewPolicy[P ~map[string]any](t testing.TB, make func(P) (policy.Policy, error), params P) policy.Policy {
	t.Helper()
	p, err := make(params)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
