package answers

import (
	"testing"

	"fairbridge/policy"
)

// TestHeldAddsUp: what accounts below held and what they are charged are added up each by itself; where all is charged as it
// is there is one figure.
func TestHeldAddsUp(t *testing.T) {
	accounts := []policy.Account{
		{Name: "top", UsedService: 10}, {Name: "cheap", Parent: "top", UsedService: 25, HeldService: 100}, {Name: "plain", Parent: "top", UsedService: 7},
		{Name: "else", UsedService: 5}, {Name: "below", Parent: "else", UsedService: 5},
	}
	shares := entitlements(accounts)
	addUpShares(accounts, shares)
	if a := shares[0]; a.UsedService != 42 || a.HeldService != 117 || a.UsedPart != 42./52 {
		t.Errorf("%+v", a.AccountUse)
	}
	if a := shares[3]; a.UsedService != 10 || a.HeldService != 0 {
		t.Errorf("%+v", a.AccountUse)
	}
}
