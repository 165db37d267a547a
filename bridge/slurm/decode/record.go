package decode

import (
	"math/bits"
	"time"

	"fairbridge/bridge/slurm"
)

// recordField is one key of a record and how its value is read into T.
type recordField[T any] struct {
	name string
	read func(*replyInput, *T) status
}

// schema is the keys of a record that are of interest, at most 64.
type schema[T any] struct {
	fields []recordField[T]
	index  map[string]int
}

func newSchema[T any](fields ...recordField[T]) *schema[T] {
	sh := &schema[T]{fields: fields, index: make(map[string]int, len(fields))}
	for i, f := range fields {
		sh.index[f.name] = i
	}
	return sh
}

// setOf returns the set of the named fields.
func (sh *schema[T]) setOf(names ...string) (m fieldSet) {
	for _, n := range names {
		i, ok := sh.index[n]
		if !ok {
			panic("slurm: no field " + n)
		}
		m |= 1 << i
	}
	return m
}

// fieldSet is a set of fields of a schema, by position.
type fieldSet uint64

// firstName returns the name of the first field of a set that is not empty.
func (sh *schema[T]) firstName(m fieldSet) string {
	return sh.fields[bits.TrailingZeros64(uint64(m))].name
}

// read consumes one object and fills rec. It returns which fields had a value
// and which were of the wrong kind. A known key that occurs twice is an error:
// programs would differ in which value they believe.
func (sh *schema[T]) read(s *replyInput, rec *T) (good, wrong fieldSet) {
	return sh.readFrom(s, rec, 0)
}

// readFrom is read for records whose first key is number i for guessing: most
// for those inside others, whose keys are not guessed.
func (sh *schema[T]) readFrom(s *replyInput, rec *T, i int) (good, wrong fieldSet) {
	var seen fieldSet
	for s.Enter('{'); ; i++ {
		f, more := s.nextField(i, sh.index)
		if !more {
			return good, wrong
		}
		if f < 0 {
			s.Skip()
			continue
		}
		bit := fieldSet(1) << f
		if seen&bit != 0 {
			s.Fail("key %q twice in one record", sh.fields[f].name)
			return good, wrong
		}
		seen |= bit
		switch sh.fields[f].read(s, rec) {
		case found, infinite:
			good |= bit
		case unreadable:
			wrong |= bit
		}
	}
}

// maxOrder is how many keys of a record are remembered in order.
const maxOrder = 512

// expectedKey is a key that is expected next, because the record before had it at
// the same place: slurmrestd writes every record in one order.
type expectedKey struct {
	quoted string // with its quotes
	field  int
}

// nextField moves to the next key of a record, consumes it and the colon, and
// returns which it is, or -1; more is false at the end of the record. The key
// in the same place of the first record is the guess that saves a search.
func (s *replyInput) nextField(i int, index map[string]int) (f int, more bool) {
	if !s.Next('}') {
		return 0, false
	}
	if i < len(s.expectedKeys) {
		s.SkipSpace()
		if g := &s.expectedKeys[i]; s.Accept(g.quoted) {
			s.SkipColon()
			return g.field, s.Err() == nil
		}
	}
	raw, esc, long := s.Quote(s.limits.String)
	f, ok := index[string(raw)]
	if esc && !long {
		f, ok = index[string(s.Clean(raw, esc))]
	}
	if !ok || long {
		f = -1
	}
	if i == len(s.expectedKeys) && i < maxOrder && !esc && len(raw) < maxShared {
		s.expectedKeys = append(s.expectedKeys, expectedKey{`"` + string(raw) + `"`, f})
	}
	s.SkipColon()
	return f, s.Err() == nil
}

// Each of the following makes the reader of a field.

func wordField[T any](name string, at func(*T) *string) recordField[T] {
	return recordField[T]{name, func(s *replyInput, t *T) (got status) { *at(t), got = s.readWord(); return got }}
}

func uniqueField[T any](name string, at func(*T) *string) recordField[T] {
	return recordField[T]{name, func(s *replyInput, t *T) (got status) { *at(t), got = s.readUnique(); return got }}
}

func remarkField[T any](name string, at func(*T) *string) recordField[T] {
	return recordField[T]{name, func(s *replyInput, t *T) (got status) { *at(t), got = s.readRemark(); return got }}
}

func hostsField[T any](name string, at func(*T) *slurm.Hosts) recordField[T] {
	return recordField[T]{name, func(s *replyInput, t *T) (got status) { *at(t), got = s.readHosts(); return got }}
}

// parsedField makes the reader of a text that is read once.
func parsedField[T, V any](name string, at func(*T) *V, of func(*meanings, string) V) recordField[T] {
	return recordField[T]{name, func(s *replyInput, t *T) status {
		w, got := s.readWord()
		if w != "" {
			*at(t) = of(&s.meanings, w)
		}
		return got
	}}
}

func commaListField[T any](name string, at func(*T) *[]string) recordField[T] {
	return recordField[T]{name, func(s *replyInput, t *T) (got status) { *at(t), got = s.readCommaList(); return got }}
}

func boolField[T any](name string, at func(*T) *bool) recordField[T] {
	return recordField[T]{name, func(s *replyInput, t *T) (got status) { *at(t), got = s.Boolean(); return got }}
}

func timeField[T any](name string, at func(*T) *time.Time) recordField[T] {
	return recordField[T]{name, func(s *replyInput, t *T) (got status) { *at(t), got = s.readTime(); return got }}
}

func sizeField[T any, N int | int64](name string, at func(*T) *N) recordField[T] {
	return recordField[T]{name, func(s *replyInput, t *T) status {
		v, got := s.readSize()
		*at(t) = N(v)
		return got
	}}
}

// durationField reads a length of time given in units; none and no limit are 0.
func durationField[T any](name string, unit time.Duration, at func(*T) *time.Duration) recordField[T] {
	return recordField[T]{name, func(s *replyInput, t *T) status {
		v, got := s.readSize()
		if v > int64(1<<62/unit) {
			return unreadable
		}
		*at(t) = time.Duration(v) * unit
		return got
	}}
}

// optionalField makes a field whose unexpected form does not spoil the record.
func optionalField[T any](f recordField[T]) recordField[T] {
	return recordField[T]{f.name, func(s *replyInput, t *T) status {
		if got := f.read(s, t); got != unreadable {
			return got
		}
		return absent
	}}
}

// objectField makes the reader of a nested record; a value of another kind is left
// to otherwise.
func objectField[T any](name string, inner *schema[T], otherwise func(*replyInput, *T) status) recordField[T] {
	return recordField[T]{name, func(s *replyInput, t *T) status {
		if s.SkipSpace() != '{' {
			return otherwise(s, t)
		}
		if _, wrong := inner.readFrom(s, t, maxOrder); wrong != 0 {
			return unreadable
		}
		return found
	}}
}

// skipValue is for values that are of interest only as objects.
func skipValue[T any](s *replyInput, _ *T) status {
	s.Skip()
	return absent
}
