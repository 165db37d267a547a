package records

import (
	"strings"
)

// field is one key of a record and the versions that have it. Value makes it
// from the record, or without one where the same stands in all.
type field[R any] struct {
	name     string
	from, to Version
	value    func(R) any
}

// constant are keys, separated by spaces, whose value depends on the version
// alone: the simulated cluster knows nothing of them.
type constant struct {
	from, to Version
	value    func(Version) any
	keys     string
}

// table is all that a kind of record has.
type table[R any] struct {
	fields    []field[R]
	constants []field[Version]
}

// newTable puts the keys of a kind of record together.
func newTable[R any](constants []constant, fields ...[]field[R]) table[R] {
	var t table[R]
	for _, list := range fields {
		t.fields = append(t.fields, list...)
	}
	for _, c := range constants {
		for _, key := range strings.Fields(c.keys) {
			t.constants = append(t.constants, field[Version]{key, c.from, c.to, c.value})
		}
	}
	return t
}

// write makes the record with all keys that the version has.
func (t table[R]) write(v Version, record R) map[string]any {
	out := make(map[string]any, len(t.fields)+len(t.constants))
	setFields(out, t.constants, v, v)
	setFields(out, t.fields, v, record)
	return out
}

func setFields[R any](out map[string]any, fields []field[R], v Version, record R) {
	for i := range fields {
		if f := &fields[i]; v >= f.from && v <= f.to {
			out[f.name] = f.value(record)
		}
	}
}

// The values of keys the simulated cluster knows nothing of.
func noneWord(Version) any { return "" }

func falseValue(Version) any { return false }

func zeroValue(Version) any { return 0 }

func emptyText(Version) any { return []string{} }

func emptyObject(Version) any { return map[string]any{} }

func nullValue(Version) any { return nil }

func infiniteNumber(Version) any { return Wrapped(false, true, 0) }

func unsetNumber(v Version) any { return v.unset() }

func unlimitedNumber(v Version) any { return v.unlimited() }

func zeroNumber(v Version) any { return v.Number(0) }

func zeroOrNull(v Version) any { return v.orNull(0) }

func noneOrNull(v Version) any { return v.orNull("") }

// constantValue is a value that no version changes.
func constantValue(value any) func(Version) any { return func(Version) any { return value } }
