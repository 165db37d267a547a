package jsonscan

// EnterBracket consumes an opening bracket.
func (s *Scanner) EnterBracket(open byte) bool {
	if s.SkipSpace() != open {
		s.FailUnexpected("'" + string(open) + "'")
		return false
	}
	if s.nestingDepth++; s.nestingDepth > s.limits.Depth {
		s.Fail("nested deeper than %d: %w", s.limits.Depth, ErrOverLimit)
		return false
	}
	s.position++
	s.isAfterBracket = true
	return true
}

// NextItem moves to the next member or element, or consumes the closing bracket
// and reports false.
func (s *Scanner) NextItem(closing byte) bool {
	c, fresh := s.SkipSpace(), s.isAfterBracket
	s.isAfterBracket = false
	switch {
	case s.position == s.end:
		s.FailUnexpected("a comma or the closing bracket")
	case c == closing:
		s.position++
		s.nestingDepth--
	case fresh:
		return true
	case c == ',':
		s.position++
		return true
	default:
		s.FailUnexpected("a comma or the closing bracket")
	}
	return false
}

// ReadKey returns the next key of the object, or nil when it is closed. It is
// valid until the next call; SkipColon must follow.
func (s *Scanner) ReadKey() []byte {
	if !s.NextItem('}') {
		return nil
	}
	raw, esc, long := s.ReadRawString(s.limits.KeyBytes)
	if s.err != nil {
		return nil
	}
	if long {
		return []byte{}
	}
	if esc {
		s.scratch = appendCleanText(s.scratch[:0], raw)
		return s.scratch
	}
	return raw
}

// SkipColon consumes the colon after a key.
func (s *Scanner) SkipColon() {
	if s.position < s.end && s.buffer[s.position] == ':' {
		s.position++
		return
	}
	if s.SkipSpace() != ':' {
		s.FailUnexpected("':'")
		return
	}
	s.position++
}

// readLiteral consumes true, false or null.
func (s *Scanner) readLiteral(word string) bool {
	for s.end-s.position < len(word) {
		if !s.fill(s.position) {
			break
		}
	}
	if s.end-s.position < len(word) || string(s.buffer[s.position:s.position+len(word)]) != word {
		s.FailUnexpected(word)
		return false
	}
	s.position += len(word)
	return true
}

// SkipValue consumes one value of any kind, checking its form.
func (s *Scanner) SkipValue() {
	switch s.SkipSpace() {
	case '"':
		s.skipString()
	case '{':
		if _, _, ok := s.matchLayout(); ok {
			return
		}
		s.EnterBracket('{')
		for s.NextItem('}') {
			s.skipString()
			s.SkipColon()
			s.SkipValue()
		}
	case '[':
		s.EnterBracket('[')
		for s.NextItem(']') {
			s.SkipValue()
		}
	case 't':
		s.readLiteral("true")
	case 'f':
		s.readLiteral("false")
	case 'n':
		s.readLiteral("null")
	default:
		s.readNumberText()
	}
}

// skipString consumes a string.
func (s *Scanner) skipString() {
	if s.SkipSpace() == '"' {
		from := s.position + 1
		if i := from + plainPrefixLength(s.buffer[from:s.end]); i < s.end && s.buffer[i] == '"' {
			s.position = i + 1
			return
		}
	}
	s.ReadRawString(-1)
}

// ReadBool reads true or false.
func (s *Scanner) ReadBool() (bool, Status) {
	switch s.SkipSpace() {
	case 't':
		return s.readLiteral("true"), StatusFound
	case 'f':
		s.readLiteral("false")
		return false, StatusFound
	}
	return false, s.SkipWrongKind()
}

// AcceptText consumes the text if the stream goes on with it.
func (s *Scanner) AcceptText(text string) bool {
	if !hasPrefix(s.buffer[s.position:s.end], text) {
		return false
	}
	s.position += len(text)
	return true
}

// Peek returns up to n bytes of what comes next.
func (s *Scanner) Peek(n int) []byte {
	for s.end-s.position < n && s.fill(s.position) { // enough to show
	}
	return s.buffer[s.position:min(s.end, s.position+n)]
}

func hasPrefix(b []byte, p string) bool {
	return len(b) >= len(p) && string(b[:len(p)]) == p
}
