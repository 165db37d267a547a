package decode

// guess is a key that is expected next, because the record before had it at
// the same place: slurmrestd writes every record in one order.
type guess struct {
	quoted string // with its quotes
	field  int
}

// enter consumes an opening bracket.
func (s *scanner) enter(open byte) bool {
	if s.space() != open {
		s.unexpected("'" + string(open) + "'")
		return false
	}
	if s.depth++; s.depth > s.limits.Depth {
		s.fail("nested deeper than %d: %w", s.limits.Depth, errLimit)
		return false
	}
	s.pos++
	s.fresh = true
	return true
}

// next moves to the next member or element, or consumes the closing bracket
// and reports false.
func (s *scanner) next(closing byte) bool {
	c, fresh := s.space(), s.fresh
	s.fresh = false
	switch {
	case s.pos == s.end:
		s.unexpected("a comma or the closing bracket")
	case c == closing:
		s.pos++
		s.depth--
	case fresh:
		return true
	case c == ',':
		s.pos++
		return true
	default:
		s.unexpected("a comma or the closing bracket")
	}
	return false
}

// key returns the next key of the object, or nil when it is closed. It is
// valid until the next call; colon must follow.
func (s *scanner) key() []byte {
	if !s.next('}') {
		return nil
	}
	raw, esc, long := s.quote(s.limits.String)
	if s.err != nil {
		return nil
	}
	if long {
		return []byte{}
	}
	if esc {
		s.scratch = appendClean(s.scratch[:0], raw)
		return s.scratch
	}
	return raw
}

// colon consumes the colon after a key.
func (s *scanner) colon() {
	if s.pos < s.end && s.buf[s.pos] == ':' {
		s.pos++
		return
	}
	if s.space() != ':' {
		s.unexpected("':'")
		return
	}
	s.pos++
}

// literal consumes true, false or null.
func (s *scanner) literal(word string) bool {
	for s.end-s.pos < len(word) {
		if !s.fill(s.pos) {
			break
		}
	}
	if s.end-s.pos < len(word) || string(s.buf[s.pos:s.pos+len(word)]) != word {
		s.unexpected(word)
		return false
	}
	s.pos += len(word)
	return true
}

// skip consumes one value of any kind, checking its form.
func (s *scanner) skip() {
	switch s.space() {
	case '"':
		s.skipQuote()
	case '{':
		if _, _, ok := s.alike(); ok {
			return
		}
		s.enter('{')
		for s.next('}') {
			s.skipQuote()
			s.colon()
			s.skip()
		}
	case '[':
		s.enter('[')
		for s.next(']') {
			s.skip()
		}
	case 't':
		s.literal("true")
	case 'f':
		s.literal("false")
	case 'n':
		s.literal("null")
	default:
		s.digits()
	}
}

// skipQuote consumes a string.
func (s *scanner) skipQuote() {
	if s.space() == '"' {
		from := s.pos + 1
		if i := from + plain(s.buf[from:s.end]); i < s.end && s.buf[i] == '"' {
			s.pos = i + 1
			return
		}
	}
	s.quote(-1)
}
