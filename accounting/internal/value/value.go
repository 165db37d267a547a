// Package value turns values of Go into ones that Postgres takes, and back.
package value

import (
	"strings"
	"time"
)

// NullTime stores the zero time as null.
func NullTime(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// UTC reads null as the zero time, everything else in UTC.
func UTC(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.UTC()
}

// Text makes a text one that Postgres takes: valid UTF-8 without NUL.
func Text(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "")
}
