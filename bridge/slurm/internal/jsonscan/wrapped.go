package jsonscan

// numberLayout is how this reply writes a wrapped number at one depth: the bytes
// before the digits, {"set": true, "infinite": false, "number": with their
// spaces, and those after. A poll has dozens of them in every record, all
// alike, so comparing with the last is much faster than reading each.
type numberLayout struct{ head, tail []byte }

// For how many depths layouts are remembered, and the longest one.
const (
	maxLayoutDepth = 16
	maxLayoutText  = 256
)

// matchLayout reads a wrapped number that is written like an earlier one. When ok is
// false nothing was consumed.
func (s *Scanner) matchLayout() (v int64, got Status, ok bool) {
	if s.depth >= maxLayoutDepth || s.depth >= s.limits.Depth {
		return 0, Absent, false
	}
	for i := range s.layouts[s.depth] {
		l := &s.layouts[s.depth][i]
		b := s.buf[s.pos:s.end]
		if len(l.head) == 0 || len(b) < len(l.head) || string(b[:len(l.head)]) != string(l.head) {
			continue
		}
		b = b[len(l.head):]
		n := min(countDigits(b[:min(len(b), 19)]), 19)
		v, ok := ParseShort(b[:n])
		if !ok || n > 1 && b[0] == '0' || !hasPrefix(b[n:], string(l.tail)) {
			return 0, Absent, false
		}
		s.pos += len(l.head) + n + len(l.tail)
		s.fresh = false
		if i > 0 {
			return 0, Absent, true
		}
		return v, Found, true
	}
	return 0, Absent, false
}

// rememberLayout remembers how a wrapped number was written: it began at from, its
// number at digits, both counted from the start of the reply, and ends here.
func (s *Scanner) rememberLayout(from, digits int64, set bool) {
	if from < s.offset || s.depth >= maxLayoutDepth || s.err != nil {
		return // part of it has left the window
	}
	text := s.buf[from-s.offset : s.pos]
	n := countDigits(text[digits-from:])
	if n == 0 || n > 18 || len(text) > maxLayoutText || isNumberByte(text[int(digits-from)+n]) {
		return // a fraction or an exponent would become part of the layout
	}
	l := &s.layouts[s.depth][1]
	if set {
		l = &s.layouts[s.depth][0]
	}
	l.head = append(l.head[:0], text[:digits-from]...)
	l.tail = append(l.tail[:0], text[int(digits-from)+n:]...)
}

// wrappedNumber reads the newer encoding of a number.
func (s *Scanner) wrappedNumber() (int64, Status) {
	if v, got, ok := s.matchLayout(); ok {
		return v, got
	}
	from := s.offset + int64(s.pos)
	w := wrappedValue{set: true, status: Unreadable, last: true}
	s.Enter('{')
	for key := s.Key(); key != nil; key = s.Key() {
		s.readMember(&w, key)
	}
	switch {
	case w.wrong || s.err != nil:
		return 0, Unreadable
	case w.infinite:
		return 0, Infinite
	case w.last && w.status == Found:
		s.rememberLayout(from, w.digits, w.set)
	}
	if !w.set {
		return 0, Absent
	}
	return w.value, w.status
}

// wrappedValue is a wrapped number while it is read.
type wrappedValue struct {
	set, infinite, wrong bool
	value                int64
	status               Status // Unreadable until there is a number
	digits               int64  // where the number began
	last                 bool   // nothing followed the number
}

// readMember reads the value of one key of a wrapped number.
func (s *Scanner) readMember(w *wrappedValue, key []byte) {
	kind := Found
	w.last = w.digits == 0
	switch string(key) {
	case "set":
		s.SkipColon()
		w.set, kind = s.Boolean()
	case "infinite":
		s.SkipColon()
		w.infinite, kind = s.Boolean()
	case "number":
		s.SkipColon()
		s.SkipSpace()
		w.digits = s.offset + int64(s.pos)
		w.value, w.status = s.Number()
	default:
		s.SkipColon()
		s.Skip()
	}
	w.wrong = w.wrong || kind != Found
}
