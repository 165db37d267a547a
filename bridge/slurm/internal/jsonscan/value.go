package jsonscan

// Enter consumes an opening bracket.
func (s *Scanner) Enter(open byte) bool {
	if s.SkipSpace() != open {
		s.Unexpected("'" + string(open) + "'")
		return false
	}
	if s.depth++; s.depth > s.limits.Depth {
		s.Fail("nested deeper than %d: %w", s.limits.Depth, ErrLimit)
		return false
	}
	s.pos++
	s.fresh = true
	return true
}

// Next moves to the next member or element, or consumes the closing bracket
// and reports false.
func (s *Scanner) Next(closing byte) bool {
	c, fresh := s.SkipSpace(), s.fresh
	s.fresh = false
	switch {
	case s.pos == s.end:
		s.Unexpected("a comma or the closing bracket")
	case c == closing:
		s.pos++
		s.depth--
	case fresh:
		return true
	case c == ',':
		s.pos++
		return true
	default:
		s.Unexpected("a comma or the closing bracket")
	}
	return false
}

// Key returns the next key of the object, or nil when it is closed. It is
// valid until the next call; colon must follow.
func (s *Scanner) Key() []byte {
	if !s.Next('}') {
		return nil
	}
	raw, esc, long := s.Quote(s.limits.Key)
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

// SkipColon consumes the colon after a key.
func (s *Scanner) SkipColon() {
	if s.pos < s.end && s.buf[s.pos] == ':' {
		s.pos++
		return
	}
	if s.SkipSpace() != ':' {
		s.Unexpected("':'")
		return
	}
	s.pos++
}

// acceptLiteral consumes true, false or null.
func (s *Scanner) acceptLiteral(word string) bool {
	for s.end-s.pos < len(word) {
		if !s.fill(s.pos) {
			break
		}
	}
	if s.end-s.pos < len(word) || string(s.buf[s.pos:s.pos+len(word)]) != word {
		s.Unexpected(word)
		return false
	}
	s.pos += len(word)
	return true
}

// Skip consumes one value of any kind, checking its form.
func (s *Scanner) Skip() {
	switch s.SkipSpace() {
	case '"':
		s.skipQuote()
	case '{':
		if _, _, ok := s.matchLayout(); ok {
			return
		}
		s.Enter('{')
		for s.Next('}') {
			s.skipQuote()
			s.SkipColon()
			s.Skip()
		}
	case '[':
		s.Enter('[')
		for s.Next(']') {
			s.Skip()
		}
	case 't':
		s.acceptLiteral("true")
	case 'f':
		s.acceptLiteral("false")
	case 'n':
		s.acceptLiteral("null")
	default:
		s.digits()
	}
}

// skipQuote consumes a string.
func (s *Scanner) skipQuote() {
	if s.SkipSpace() == '"' {
		from := s.pos + 1
		if i := from + plainPrefix(s.buf[from:s.end]); i < s.end && s.buf[i] == '"' {
			s.pos = i + 1
			return
		}
	}
	s.Quote(-1)
}

// Boolean reads true or false.
func (s *Scanner) Boolean() (bool, Status) {
	switch s.SkipSpace() {
	case 't':
		return s.acceptLiteral("true"), Found
	case 'f':
		s.acceptLiteral("false")
		return false, Found
	}
	return false, s.OtherNumber()
}

// Accept consumes the text if the stream goes on with it.
func (s *Scanner) Accept(text string) bool {
	if !hasPrefix(s.buf[s.pos:s.end], text) {
		return false
	}
	s.pos += len(text)
	return true
}

// Peek returns up to n bytes of what comes next.
func (s *Scanner) Peek(n int) []byte {
	for s.end-s.pos < n && s.fill(s.pos) { // enough to show
	}
	return s.buf[s.pos:min(s.end, s.pos+n)]
}

func hasPrefix(b []byte, p string) bool {
	return len(b) >= len(p) && string(b[:len(p)]) == p
}
