package invariant

import "fmt"

// Denial says which invariant something would break, and how; nil lets it pass.
type Denial struct {
	ID  ID
	Why string // with its numbers
}

// Deny returns the denial of what would break the invariant.
func (id ID) Deny(format string, a ...any) *Denial { return &Denial{id, fmt.Sprintf(format, a...)} }
