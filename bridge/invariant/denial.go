package invariant

import (
	"fmt"
	"time"

	"fairbridge/policy"
)

// Denial says which invariant something would break, and how; nil lets it pass.
type Denial struct {
	ID  ID
	Why string // with its numbers
}

// Deny returns the denial of what would break the invariant. Durations are printed as people
// say them.
func (id ID) Deny(format string, a ...any) *Denial {
	for i := range a {
		if d, ok := a[i].(time.Duration); ok {
			a[i] = formatDuration(d)
		}
	}
	return &Denial{id, fmt.Sprintf(format, a...)}
}

// formatDuration prints what is shorter than a minute with its parts of a second, which the
// bounds of views and edits are about.
func formatDuration(d time.Duration) string {
	if d.Abs() < time.Minute {
		return d.Round(time.Millisecond).String()
	}
	return policy.FormatDuration(d)
}
