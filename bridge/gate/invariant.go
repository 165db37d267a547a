package gate

import (
	"fmt"

	"fairbridge/bridge/invariant"
)

// no is a verdict: nil lets pass.
type no struct {
	id  invariant.ID
	why string
}

func deny(id invariant.ID, format string, a ...any) *no { return &no{id, fmt.Sprintf(format, a...)} }

// first returns the first denial of the checks, which run in order.
func first(checks ...func() *no) *no {
	for _, c := range checks {
		if n := c(); n != nil {
			return n
		}
	}
	return nil
}
