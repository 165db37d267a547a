package slurm

// layout is how this reply writes a wrapped number at one depth: the bytes
// before the digits, {"set": true, "infinite": false, "number": with their
// spaces, and those after. A poll has dozens of them in every record, all
// alike, so comparing with the last is much faster than reading each.
type layout struct{ head, tail []byte }

// nests is for how many depths layouts are remembered.
const nests = 16

// alike reads a wrapped number that is written like an earlier one. When ok is
// false nothing was consumed.
func (s *scanner) alike() (v int64, got verdict, ok bool) {
	if s.depth >= nests || s.depth >= s.limits.Depth {
		return 0, absent, false
	}
	for i := range s.layouts[s.depth] {
		l := &s.layouts[s.depth][i]
		b := s.buf[s.pos:s.end]
		if len(l.head) == 0 || len(b) < len(l.head) || string(b[:len(l.head)]) != string(l.head) {
			continue
		}
		b = b[len(l.head):]
		n := min(run(b[:min(len(b), 19)]), 19)
		v, ok := short(b[:n])
		if !ok || n > 1 && b[0] == '0' || !hasPrefix(b[n:], string(l.tail)) {
			return 0, absent, false
		}
		s.pos += len(l.head) + n + len(l.tail)
		s.fresh = false
		return v, [...]verdict{found, absent}[i], true
	}
	return 0, absent, false
}

// learn remembers how a wrapped number was written: it began at from, its
// number at digits, both counted from the start of the reply, and ends here.
func (s *scanner) learn(from, digits int64, set bool) {
	if from < s.off || s.depth >= nests || s.err != nil {
		return // part of it has left the window
	}
	text := s.buf[from-s.off : s.pos]
	n := run(text[digits-from:])
	if n == 0 || n > 18 || len(text) > common || numeric(text[int(digits-from)+n]) {
		return // a fraction or an exponent would become part of the layout
	}
	l := &s.layouts[s.depth][1]
	if set {
		l = &s.layouts[s.depth][0]
	}
	l.head = append(l.head[:0], text[:digits-from]...)
	l.tail = append(l.tail[:0], text[int(digits-from)+n:]...)
}

// wrapped reads the newer encoding of a number.
func (s *scanner) wrapped() (v int64, got verdict) {
	if v, got, ok := s.alike(); ok {
		if got == absent {
			v = 0
		}
		return v, got
	}
	set, endless, wrong, plain := true, false, false, true
	from, digits := s.off+int64(s.pos), int64(-1)
	got = unreadable // until there is a number
	s.enter('{')
	for key := s.key(); key != nil; key = s.key() {
		kind := found
		plain = plain && digits < 0 // the number comes last
		switch string(key) {
		case "set":
			s.colon()
			set, kind = s.boolean()
		case "infinite":
			s.colon()
			endless, kind = s.boolean()
		case "number":
			s.colon()
			s.space()
			digits = s.off + int64(s.pos)
			v, got = s.number()
		default:
			s.colon()
			s.skip()
		}
		wrong = wrong || kind != found
	}
	switch {
	case wrong || s.err != nil:
		return 0, unreadable
	case endless:
		return 0, infinite
	case plain && digits >= 0 && got == found:
		s.learn(from, digits, set)
	}
	if !set {
		return 0, absent
	}
	return v, got
}
