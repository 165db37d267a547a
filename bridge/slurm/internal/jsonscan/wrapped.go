package jsonscan

import (
	"io"
)

// numberLayout is how this reply writes a wrapped number at one depth: the bytes
// before the digits, {"set": true, "infinite": false, "number": with their
// spaces, and those after. A poll has dozens of them in every record, all
// alike, so comparing with the last is much faster than reading each.
type numberLayout struct{ head, tail []byte }

// For how many depths layouts are remembered, and the longest one.
const (
	maxLayoutDepth = 16
	maxLayoutBytes = 256
)

// matchLayout reads a wrapped number that is written like an earlier one. When ok is
// false nothing was consumed.
func (s *Scanner) matchLayout() (v int64, got Status, ok bool) {
	if s.nestingDepth >= maxLayoutDepth || s.nestingDepth >= s.limits.Depth {
		return 0, StatusAbsent, false
	}
	for i := range s.numberLayouts[s.nestingDepth] {
		l := &s.numberLayouts[s.nestingDepth][i]
		b := s.buffer[s.position:s.end]
		if len(l.head) == 0 || len(b) < len(l.head) || string(b[:len(l.head)]) != string(l.head) {
			continue
		}
		b = b[len(l.head):]
		n := min(countDigits(b[:min(len(b), 19)]), 19)
		v, ok := ParseShortInteger(b[:n])
		if !ok || n > 1 && b[0] == '0' || !hasPrefix(b[n:], string(l.tail)) {
			return 0, StatusAbsent, false
		}
		s.position += len(l.head) + n + len(l.tail)
		s.isAfterBracket = false
		if i > 0 {
			return 0, StatusAbsent, true
		}
		return v, StatusFound, true
	}
	return 0, StatusAbsent, false
}

// rememberLayout remembers how a wrapped number was written: it began at from, its
// number at digits, both counted from the start of the reply, and ends here.
func (s *Scanner) rememberLayout(from, digits int64, set bool) {
	if from < s.offset || s.nestingDepth >= maxLayoutDepth || s.err != nil {
		return // part of it has left the window
	}
	text := s.buffer[from-s.offset : s.position]
	n := countDigits(text[digits-from:])
	if n == 0 || n > 18 || len(text) > maxLayoutBytes || isNumberByte(text[int(digits-from)+n]) {
		return // a fraction or an exponent would become part of the layout
	}
	l := &s.numberLayouts[s.nestingDepth][1]
	if set {
		l = &s.numberLayouts[s.nestingDepth][0]
	}
	l.head = append(l.head[:0], text[:digits-from]...)
	l.tail = append(l.tail[:0], text[int(digits-from)+n:]...)
}

// readWrappedNumber reads the newer encoding of a number.
func (s *Scanner) readWrappedNumber() (int64, Status) {
	if v, got, ok := s.matchLayout(); ok {
		return v, got
	}
	from := s.offset + int64(s.position)
	w := wrappedNumber{set: true, status: StatusUnreadable, isNumberLast: true}
	s.EnterBracket('{')
	for key := s.ReadKey(); key != nil; key = s.ReadKey() {
		s.readWrappedMember(&w, key)
	}
	switch {
	case w.hasWrongKind || s.err != nil:
		return 0, StatusUnreadable
	case w.infinite:
		return 0, StatusInfinite
	case w.isNumberLast && w.status == StatusFound:
		s.rememberLayout(from, w.digitsOffset, w.set)
	}
	if !w.set {
		return 0, StatusAbsent
	}
	return w.value, w.status
}

// wrappedNumber is a wrapped number while it is read.
type wrappedNumber struct {
	set, infinite, hasWrongKind bool
	value                       int64
	status                      Status // StatusUnreadable until there is a number
	digitsOffset                int64  // where the number began
	isNumberLast                bool   // nothing followed the number
}

// readWrappedMember reads the value of one key of a wrapped number.
func (s *Scanner) readWrappedMember(w *wrappedNumber, key []byte) {
	kind := StatusFound
	w.isNumberLast = w.digitsOffset == 0
	switch string(key) {
	case "set":
		s.SkipColon()
		w.set, kind = s.ReadBool()
	case "infinite":
		s.SkipColon()
		w.infinite, kind = s.ReadBool()
	case "number":
		s.SkipColon()
		s.SkipSpace()
		w.digitsOffset = s.offset + int64(s.position)
		w.value, w.status = s.ReadNumber()
	default:
		s.SkipColon()
		s.SkipValue()
	}
	w.hasWrongKind = w.hasWrongKind || kind != StatusFound
}

// Scanner reads one JSON document from a stream through a sliding window. It
// is exactly as strict as encoding/json but looks only at what is asked for.
// The zero value is ready, and meant to be used again and again: it keeps its
// buffer, and how numbers were written. After an error nothing more is found.
type Scanner struct {
	window
	limits         Limits
	isAfterBracket bool                            // just inside a bracket: no comma yet
	numberLayouts  [maxLayoutDepth][2]numberLayout // of wrapped numbers that are set, and not
	scratch        []byte
	longStringHead []byte // of a string that is too long
}

// Limits bound what is read.
type Limits struct {
	DocumentBytes int64 // of the document
	KeyBytes      int   // bytes of a key; a longer one is not known
	Depth         int   // nesting
}

// StartDocument begins a new document.
func (s *Scanner) StartDocument(r io.Reader, l Limits) {
	s.openStream(r, l.DocumentBytes)
	s.limits, s.isAfterBracket = l, false
}

// FinishDocument checks that nothing but white space follows the document.
func (s *Scanner) FinishDocument() error {
	if s.err == nil {
		if s.SkipSpace(); s.position < s.end {
			s.Fail("%q after the end of the document", s.buffer[s.position])
		}
	}
	s.stream = nil
	return s.err
}

// Status says what was found where a value should be.
type Status uint8

// The verdicts.
const (
	StatusAbsent     Status = iota // null, not set, or Slurm's "no value"
	StatusFound                    // a value
	StatusInfinite                 // no limit
	StatusUnreadable               // something of another kind
)
