package records

import (
	"math"
	"strings"
	"time"
)

// Version is an API version, 45 for v0.0.45. It says what values look like: up
// to v0.0.38 numbers are bare, later they are structs with two flags.
type Version int

// newestVersion is the last version of keys that no version has dropped yet: whatever
// comes.
const newestVersion Version = math.MaxInt

// isPlain reports whether the version is older than the structs.
func (v Version) isPlain() bool { return v <= 38 }

// Wrapped is a number with its two flags.
func Wrapped(set, infinite bool, n any) map[string]any {
	return map[string]any{"set": set, "infinite": infinite, "number": n}
}

// Object makes a JSON object of keys and values in turn.
func Object(pairs ...any) map[string]any {
	out := make(map[string]any, len(pairs)/2)
	for i := 0; i < len(pairs); i += 2 {
		out[pairs[i].(string)] = pairs[i+1]
	}
	return out
}

// Number is a number that is given.
func (v Version) Number(n int64) any {
	if v.isPlain() {
		return n
	}
	return Wrapped(true, false, n)
}

// Time is a moment in seconds since 1970; none is 0.
func (v Version) Time(t time.Time) any {
	if t.IsZero() {
		return v.Number(0)
	}
	return v.Number(t.Unix())
}

// unset is a number that is not given.
func (v Version) unset() any { return v.orNull(Wrapped(false, false, 0)) }

// unlimited is a number that has no bound.
func (v Version) unlimited() any { return v.orNull(Wrapped(false, true, 0)) }

// NumberOrUnset is a number, unset when 0.
func (v Version) NumberOrUnset(n int64) any {
	if n == 0 {
		return v.unset()
	}
	return v.Number(n)
}

// minutes is a time limit.
func (v Version) minutes(d time.Duration) any {
	if d == 0 && !v.isPlain() {
		return Wrapped(false, true, 0)
	}
	return v.Number(int64(d / time.Minute))
}

// gres is a request with the prefix of the version.
func (v Version) gres(s string) string {
	if v.isPlain() {
		return strings.ReplaceAll(s, "gres/", "gres:")
	}
	return s
}

// state is a job's state: one word up to v0.0.39, then a list with its flags.
func (v Version) state(base string, flags []string) any {
	if v <= 39 {
		if len(flags) > 0 && flags[0] == "COMPLETING" {
			return "COMPLETING"
		}
		return base
	}
	return append([]string{base}, flags...)
}

// orNull is null where numbers are bare.
func (v Version) orNull(value any) any {
	if v.isPlain() {
		return nil
	}
	return value
}

// orEmpty is never null.
func orEmpty(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}

// commaList writes a list as Slurm's text.
func commaList(s []string) string { return strings.Join(s, ",") }
