package decode

import (
	"math/bits"
	"time"

	"fairbridge/bridge/slurm"
	"fairbridge/bridge/slurm/internal/jsonscan"
)

// recordField is one key of a record and how its value is read into T.
type recordField[T any] struct {
	name string
	read func(*replyInput, *T) valueStatus
}

// recordSchema is the keys of a record that are of interest, at most maxFields.
type recordSchema[T any] struct {
	fields           []recordField[T]
	fieldIndexByName map[string]int
}

func newRecordSchema[T any](fields ...recordField[T]) *recordSchema[T] {
	sh := &recordSchema[T]{fields: fields, fieldIndexByName: make(map[string]int, len(fields))}
	for i, f := range fields {
		sh.fieldIndexByName[f.name] = i
	}
	return sh
}

// fieldSetOf returns the set of the named fields.
func (sh *recordSchema[T]) fieldSetOf(names ...string) (m fieldSet) {
	for _, n := range names {
		i, ok := sh.fieldIndexByName[n]
		if !ok {
			panic("slurm: no field " + n)
		}
		m.add(i)
	}
	return m
}

// allFields returns the set of every field.
func (sh *recordSchema[T]) allFields() (m fieldSet) {
	for i := range sh.fields {
		m.add(i)
	}
	return m
}

// fieldSet is a set of fields of a schema, by position: two words of bits.
type fieldSet [2]uint64

// maxFields is how many fields a set holds.
const maxFields = 128

func (m *fieldSet) add(field int) { m[field>>6&1] |= 1 << (field & 63) }

func (m *fieldSet) has(field int) bool { return m[field>>6&1]&(1<<(field&63)) != 0 }

// without returns the fields that are not in the other set.
func (m fieldSet) without(o fieldSet) fieldSet { return fieldSet{m[0] &^ o[0], m[1] &^ o[1]} }

func (m fieldSet) isEmpty() bool { return m == fieldSet{} }

// firstFieldName returns the name of the first field of a set that is not empty.
func (sh *recordSchema[T]) firstFieldName(m fieldSet) string {
	if m[0] != 0 {
		return sh.fields[bits.TrailingZeros64(m[0])].name
	}
	return sh.fields[64+bits.TrailingZeros64(m[1])].name
}

// readRecord consumes one object and fills rec. It returns which fields had a value
// and which were of the wrong kind. A known key that occurs twice is an error:
// programs would differ in which value they believe.
func (sh *recordSchema[T]) readRecord(s *replyInput, rec *T) (good, wrong fieldSet) {
	return sh.readFromKeyNumber(s, rec, 0)
}

// readFromKeyNumber is readRecord for records whose first key is number i for guessing: most
// for those inside others, whose keys are not guessed.
func (sh *recordSchema[T]) readFromKeyNumber(s *replyInput, rec *T, i int) (good, wrong fieldSet) {
	var seen fieldSet
	for s.EnterBracket('{'); ; i++ {
		f, more := s.nextField(i, sh.fieldIndexByName)
		if !more {
			return good, wrong
		}
		if f < 0 {
			s.SkipValue()
			continue
		}
		if seen.has(f) {
			s.Fail("key %q twice in one record", sh.fields[f].name)
			return good, wrong
		}
		seen.add(f)
		switch sh.fields[f].read(s, rec) {
		case statusFound, statusInfinite:
			good.add(f)
		case statusUnreadable:
			wrong.add(f)
		}
	}
}

// maxExpectedKeys is how many keys of a record are remembered in order.
const maxExpectedKeys = 512

// expectedKey is a key that is expected next, because the record before had it at
// the same place: slurmrestd writes every record in one order.
type expectedKey struct {
	quotedName string // with its quotes
	fieldIndex int
}

// nextField moves to the next key of a record, consumes it and the colon, and
// returns which it is, or -1; more is false at the end of the record. The key
// in the same place of the first record is the guess that saves a search.
func (s *replyInput) nextField(i int, index map[string]int) (f int, more bool) {
	if !s.NextItem('}') {
		return 0, false
	}
	if i < len(s.expectedKeys) {
		s.SkipSpace()
		if g := &s.expectedKeys[i]; s.AcceptText(g.quotedName) {
			s.SkipColon()
			return g.fieldIndex, s.Err() == nil
		}
	}
	raw, esc, long := s.ReadRawString(s.limits.StringBytes)
	f, ok := index[string(raw)]
	if esc && !long {
		f, ok = index[string(s.CleanText(raw, esc))]
	}
	if !ok || long {
		f = -1
	}
	if i == len(s.expectedKeys) && i < maxExpectedKeys && !esc && len(raw) < maxSharedBytes {
		s.expectedKeys = append(s.expectedKeys, expectedKey{`"` + string(raw) + `"`, f})
	}
	s.SkipColon()
	return f, s.Err() == nil
}

// Each of the following makes the reader of a field.

func sharedStringField[T any](name string, at func(*T) *string) recordField[T] {
	return recordField[T]{name, func(s *replyInput, t *T) (got valueStatus) { *at(t), got = s.readSharedString(); return got }}
}

func uniqueStringField[T any](name string, at func(*T) *string) recordField[T] {
	return recordField[T]{name, func(s *replyInput, t *T) (got valueStatus) { *at(t), got = s.readUniqueString(); return got }}
}

func humanTextField[T any](name string, at func(*T) *string) recordField[T] {
	return recordField[T]{name, func(s *replyInput, t *T) (got valueStatus) { *at(t), got = s.readHumanText(); return got }}
}

func hostsField[T any](name string, at func(*T) *slurm.Hosts) recordField[T] {
	return recordField[T]{name, func(s *replyInput, t *T) (got valueStatus) { *at(t), got = s.readHosts(); return got }}
}

// parsedTextField makes the reader of a text that is read once.
func parsedTextField[T, V any](name string, at func(*T) *V, of func(*textCaches, string) V) recordField[T] {
	return recordField[T]{name, func(s *replyInput, t *T) valueStatus {
		w, got := s.readSharedString()
		if w != "" {
			*at(t) = of(&s.textCaches, w)
		}
		return got
	}}
}

func commaListField[T any](name string, at func(*T) *[]string) recordField[T] {
	return recordField[T]{name, func(s *replyInput, t *T) (got valueStatus) { *at(t), got = s.readCommaList(); return got }}
}

func boolField[T any](name string, at func(*T) *bool) recordField[T] {
	return recordField[T]{name, func(s *replyInput, t *T) (got valueStatus) { *at(t), got = s.ReadBool(); return got }}
}

func timeField[T any](name string, at func(*T) *time.Time) recordField[T] {
	return recordField[T]{name, func(s *replyInput, t *T) (got valueStatus) { *at(t), got = s.readTime(); return got }}
}

func nonNegativeField[T any, N int | int64](name string, at func(*T) *N) recordField[T] {
	return recordField[T]{name, func(s *replyInput, t *T) valueStatus {
		v, got := s.readNonNegative()
		*at(t) = N(v)
		return got
	}}
}

// durationField reads a length of time given in units; none and no limit are 0.
func durationField[T any](name string, unit time.Duration, at func(*T) *time.Duration) recordField[T] {
	return recordField[T]{name, func(s *replyInput, t *T) valueStatus {
		v, got := s.readNonNegative()
		if v > int64(1<<62/unit) {
			return statusUnreadable
		}
		*at(t) = time.Duration(v) * unit
		return got
	}}
}

// optionalField makes a field whose unexpected form does not spoil the record.
func optionalField[T any](f recordField[T]) recordField[T] {
	return recordField[T]{f.name, func(s *replyInput, t *T) valueStatus {
		if got := f.read(s, t); got != statusUnreadable {
			return got
		}
		return statusAbsent
	}}
}

// objectField makes the reader of a nested record; a value of another kind is left
// to otherwise.
func objectField[T any](name string, inner *recordSchema[T], otherwise func(*replyInput, *T) valueStatus) recordField[T] {
	return recordField[T]{name, func(s *replyInput, t *T) valueStatus {
		if s.SkipSpace() != '{' {
			return otherwise(s, t)
		}
		if _, wrong := inner.readFromKeyNumber(s, t, maxExpectedKeys); !wrong.isEmpty() {
			return statusUnreadable
		}
		return statusFound
	}}
}

// skipValue is for values that are of interest only as objects.
func skipValue[T any](s *replyInput, _ *T) valueStatus {
	s.SkipValue()
	return statusAbsent
}

var rpcCountSchema = newRecordSchema(
	optionalField(sharedStringField("user", rpcNamePtr)),
	optionalField(sharedStringField("message_type", rpcNamePtr)),
	nonNegativeField("count", func(c *slurm.RPCCount) *int64 { return &c.Count }),
	durationField("total_time", time.Microsecond, func(c *slurm.RPCCount) *time.Duration { return &c.TotalTime }),
)

func rpcNamePtr(c *slurm.RPCCount) *string { return &c.Name }

// rpcCountsField makes the reader of a list of counts. What is no list, or no count, is left out.
func rpcCountsField(name string, at func(*slurm.Diag) *[]slurm.RPCCount) recordField[slurm.Diag] {
	return recordField[slurm.Diag]{name, func(s *replyInput, d *slurm.Diag) valueStatus {
		if s.SkipSpace() != '[' {
			return s.SkipWrongKind()
		}
		s.EnterBracket('[')
		for s.NextItem(']') {
			switch {
			case len(*at(d)) >= s.limits.ListItems:
				s.Fail("more than %d counts of requests: %w", s.limits.ListItems, jsonscan.ErrOverLimit)
			case s.SkipSpace() != '{':
				s.SkipValue()
			default:
				readRPCCount(s, at(d))
			}
		}
		return statusFound
	}}
}

// readRPCCount reads one count, and keeps it if it is whole.
func readRPCCount(s *replyInput, out *[]slurm.RPCCount) {
	var c slurm.RPCCount
	good, _ := rpcCountSchema.readFromKeyNumber(s, &c, maxExpectedKeys)
	if want := rpcCountSchema.fieldSetOf("count", "total_time"); want.without(good).isEmpty() && c.Name != "" {
		*out = append(*out, c)
	}
}
