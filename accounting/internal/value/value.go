// Package value turns values of Go into ones that Postgres takes, and back.
package value

import (
	"strings"
	"time"
)

// NullIfZero stores the zero time as null.
func NullIfZero(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// TimeOrZero reads null as the zero time, everything else in UTC.
func TimeOrZero(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.UTC()
}

// ValidText makes a text one that Postgres takes: valid UTF-8 without NUL.
func ValidText(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "")
}
