package records

import (
	"strings"
)

// recordField is one key of a record and the versions that have it. makeValue makes it
// from the record, or without one where the same stands in all.
type recordField[R any] struct {
	name                   string
	fromVersion, toVersion Version
	makeValue              func(R) any
}

// constantKeys are keys, separated by spaces, whose value depends on the version
// alone: the simulated cluster knows nothing of them.
type constantKeys struct {
	fromVersion, toVersion Version
	makeValue              func(Version) any
	keys                   string
}

// recordTable is all that a kind of record has.
type recordTable[R any] struct {
	fields    []recordField[R]
	constants []recordField[Version]
}

// newRecordTable puts the keys of a kind of record together.
func newRecordTable[R any](constants []constantKeys, fields ...[]recordField[R]) recordTable[R] {
	var t recordTable[R]
	for _, list := range fields {
		t.fields = append(t.fields, list...)
	}
	for _, c := range constants {
		for _, key := range strings.Fields(c.keys) {
			t.constants = append(t.constants, recordField[Version]{key, c.fromVersion, c.toVersion, c.makeValue})
		}
	}
	return t
}

// encodeRecord makes the record with all keys that the version has.
func (t recordTable[R]) encodeRecord(v Version, record R) map[string]any {
	out := make(map[string]any, len(t.fields)+len(t.constants))
	setFields(out, t.constants, v, v)
	setFields(out, t.fields, v, record)
	return out
}

func setFields[R any](out map[string]any, fields []recordField[R], v Version, record R) {
	for i := range fields {
		if f := &fields[i]; v >= f.fromVersion && v <= f.toVersion {
			out[f.name] = f.makeValue(record)
		}
	}
}

// The values of keys the simulated cluster knows nothing of.
func emptyString(Version) any { return "" }

func falseValue(Version) any { return false }

func bareZero(Version) any { return 0 }

func emptyList(Version) any { return []string{} }

func emptyObject(Version) any { return map[string]any{} }

func nullValue(Version) any { return nil }

func infiniteNumber(Version) any { return WrapNumber(false, true, 0) }

func unsetNumber(v Version) any { return v.unsetNumber() }

func unlimitedNumber(v Version) any { return v.unlimitedNumber() }

func zeroNumber(v Version) any { return v.EncodeNumber(0) }

func zeroOrNull(v Version) any { return v.valueOrNull(0) }

func emptyStringOrNull(v Version) any { return v.valueOrNull("") }

// fixedValue is a value that no version changes.
func fixedValue(value any) func(Version) any { return func(Version) any { return value } }
