package records

import (
	"math"
	"strings"
	"time"
)

// Version is an API version, 45 for v0.0.45. It says what values look like: up
// to v0.0.38 numbers are bare, later they are structs with two flags.
type Version int

// noLastVersion stands for the last version of keys that no version has dropped yet.
const noLastVersion Version = math.MaxInt

// hasBareNumbers reports whether the version is older than the structs.
func (v Version) hasBareNumbers() bool { return v <= 38 }

// WrapNumber writes a number with its two flags.
func WrapNumber(set, infinite bool, n any) map[string]any {
	return map[string]any{"set": set, "infinite": infinite, "number": n}
}

// NewObject makes a JSON object of keys and values in turn.
func NewObject(pairs ...any) map[string]any {
	out := make(map[string]any, len(pairs)/2)
	for i := 0; i < len(pairs); i += 2 {
		out[pairs[i].(string)] = pairs[i+1]
	}
	return out
}

// EncodeNumber writes a number that is given.
func (v Version) EncodeNumber(n int64) any {
	if v.hasBareNumbers() {
		return n
	}
	return WrapNumber(true, false, n)
}

// EncodeTime writes a moment in seconds since 1970; none is 0.
func (v Version) EncodeTime(t time.Time) any {
	if t.IsZero() {
		return v.EncodeNumber(0)
	}
	return v.EncodeNumber(t.Unix())
}

// unsetNumber writes a number that is not given.
func (v Version) unsetNumber() any { return v.valueOrNull(WrapNumber(false, false, 0)) }

// unlimitedNumber writes a number that has no bound.
func (v Version) unlimitedNumber() any { return v.valueOrNull(WrapNumber(false, true, 0)) }

// EncodeNumberOrUnset writes a number, unset when 0.
func (v Version) EncodeNumberOrUnset(n int64) any {
	if n == 0 {
		return v.unsetNumber()
	}
	return v.EncodeNumber(n)
}

// encodeTimeLimit writes a time limit in minutes.
func (v Version) encodeTimeLimit(d time.Duration) any {
	if d == 0 && !v.hasBareNumbers() {
		return WrapNumber(false, true, 0)
	}
	return v.EncodeNumber(int64(d / time.Minute))
}

// formatGRES writes a request with the prefix of the version.
func (v Version) formatGRES(s string) string {
	if v.hasBareNumbers() {
		return strings.ReplaceAll(s, "gres/", "gres:")
	}
	return s
}

// encodeJobState writes a job's state: one word up to v0.0.39, then a list with its flags.
func (v Version) encodeJobState(base string, flags []string) any {
	if v <= 39 {
		if len(flags) > 0 && flags[0] == "COMPLETING" {
			return "COMPLETING"
		}
		return base
	}
	return append([]string{base}, flags...)
}

// valueOrNull returns the value, null where numbers are bare.
func (v Version) valueOrNull(value any) any {
	if v.hasBareNumbers() {
		return nil
	}
	return value
}

// nonNilList returns the list, which is then never null.
func nonNilList(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}

// joinByComma writes a list as Slurm's text.
func joinByComma(s []string) string { return strings.Join(s, ",") }
