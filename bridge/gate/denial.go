package gate

import "fairbridge/bridge/invariant"

// denial is a verdict: nil lets pass.
type denial = invariant.Denial

func deny(id invariant.ID, format string, a ...any) *denial { return id.Deny(format, a...) }

// firstDenial returns the first denial of the checks, which run in order.
func firstDenial(checks ...func() *denial) *denial {
	for _, c := range checks {
		if n := c(); n != nil {
			return n
		}
	}
	return nil
}
