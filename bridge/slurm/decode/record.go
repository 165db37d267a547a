package decode

import (
	"math/bits"
	"time"

	"fairbridge/bridge/slurm"
)

// field is one key of a record and how its value is read into T.
type field[T any] struct {
	name string
	read func(*input, *T) verdict
}

// shape is the keys of a record that are of interest, at most 64.
type shape[T any] struct {
	fields []field[T]
	index  map[string]int
}

func shaped[T any](fields ...field[T]) *shape[T] {
	sh := &shape[T]{fields: fields, index: make(map[string]int, len(fields))}
	for i, f := range fields {
		sh.index[f.name] = i
	}
	return sh
}

// mask returns the set of the named fields.
func (sh *shape[T]) mask(names ...string) (m fieldSet) {
	for _, n := range names {
		i, ok := sh.index[n]
		if !ok {
			panic("slurm: no field " + n)
		}
		m |= 1 << i
	}
	return m
}

// fieldSet is a set of fields of a shape, by position.
type fieldSet uint64

// first returns the name of the first field of a set that is not empty.
func (sh *shape[T]) first(m fieldSet) string {
	return sh.fields[bits.TrailingZeros64(uint64(m))].name
}

// read consumes one object and fills rec. It returns which fields had a value
// and which were of the wrong kind. A known key that occurs twice is an error:
// programs would differ in which value they believe.
func (sh *shape[T]) read(s *input, rec *T) (good, wrong fieldSet) {
	return sh.readFrom(s, rec, 0)
}

// readFrom is read for records whose first key is number i for guessing: most
// for those inside others, whose keys are not guessed.
func (sh *shape[T]) readFrom(s *input, rec *T, i int) (good, wrong fieldSet) {
	var seen fieldSet
	for s.Enter('{'); ; i++ {
		f, more := s.field(i, sh.index)
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

// most is how many keys of a record are remembered in order.
const most = 512

// guess is a key that is expected next, because the record before had it at
// the same place: slurmrestd writes every record in one order.
type guess struct {
	quoted string // with its quotes
	field  int
}

// field moves to the next key of a record, consumes it and the colon, and
// returns which it is, or -1; more is false at the end of the record. The key
// in the same place of the first record is the guess that saves a search.
func (s *input) field(i int, index map[string]int) (f int, more bool) {
	if !s.Next('}') {
		return 0, false
	}
	if i < len(s.order) {
		s.Space()
		if g := &s.order[i]; s.Accept(g.quoted) {
			s.Colon()
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
	if i == len(s.order) && i < most && !esc && len(raw) < common {
		s.order = append(s.order, guess{`"` + string(raw) + `"`, f})
	}
	s.Colon()
	return f, s.Err() == nil
}

// Each of the following makes the reader of a field.

func word[T any](name string, at func(*T) *string) field[T] {
	return field[T]{name, func(s *input, t *T) (got verdict) { *at(t), got = s.word(); return got }}
}

func unique[T any](name string, at func(*T) *string) field[T] {
	return field[T]{name, func(s *input, t *T) (got verdict) { *at(t), got = s.unique(); return got }}
}

func remarks[T any](name string, at func(*T) *string) field[T] {
	return field[T]{name, func(s *input, t *T) (got verdict) { *at(t), got = s.remark(); return got }}
}

func hosts[T any](name string, at func(*T) *slurm.Hosts) field[T] {
	return field[T]{name, func(s *input, t *T) (got verdict) { *at(t), got = s.hosts(); return got }}
}

// meaning makes the reader of a text that is read once.
func meaning[T, V any](name string, at func(*T) *V, of func(*known, string) V) field[T] {
	return field[T]{name, func(s *input, t *T) verdict {
		w, got := s.word()
		if w != "" {
			*at(t) = of(&s.known, w)
		}
		return got
	}}
}

func commas[T any](name string, at func(*T) *[]string) field[T] {
	return field[T]{name, func(s *input, t *T) (got verdict) { *at(t), got = s.commas(); return got }}
}

func boolean[T any](name string, at func(*T) *bool) field[T] {
	return field[T]{name, func(s *input, t *T) (got verdict) { *at(t), got = s.Boolean(); return got }}
}

func moment[T any](name string, at func(*T) *time.Time) field[T] {
	return field[T]{name, func(s *input, t *T) (got verdict) { *at(t), got = s.moment(); return got }}
}

func size[T any, N int | int64](name string, at func(*T) *N) field[T] {
	return field[T]{name, func(s *input, t *T) verdict {
		v, got := s.size()
		*at(t) = N(v)
		return got
	}}
}

// span reads a length of time given in units; none and no limit are 0.
func span[T any](name string, unit time.Duration, at func(*T) *time.Duration) field[T] {
	return field[T]{name, func(s *input, t *T) verdict {
		v, got := s.size()
		if v > int64(1<<62/unit) {
			return unreadable
		}
		*at(t) = time.Duration(v) * unit
		return got
	}}
}

// lenient makes a field whose unexpected form does not spoil the record.
func lenient[T any](f field[T]) field[T] {
	return field[T]{f.name, func(s *input, t *T) verdict {
		if got := f.read(s, t); got != unreadable {
			return got
		}
		return absent
	}}
}

// object makes the reader of a nested record; a value of another kind is left
// to otherwise.
func object[T any](name string, inner *shape[T], otherwise func(*input, *T) verdict) field[T] {
	return field[T]{name, func(s *input, t *T) verdict {
		if s.Space() != '{' {
			return otherwise(s, t)
		}
		if _, wrong := inner.readFrom(s, t, most); wrong != 0 {
			return unreadable
		}
		return found
	}}
}

// nothing is for values that are of interest only as objects.
func nothing[T any](s *input, _ *T) verdict {
	s.Skip()
	return absent
}
