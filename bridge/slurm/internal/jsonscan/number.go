// Package jsonscan reads JSON from a stream, fast and strictly, with the numbers of
// slurmrestd: plain ones, and those wrapped as {"set": true, "number": 5}.
package jsonscan

import (
	"math"
	"strconv"
)

// maxNumberBytes is the most characters of a number; Slurm's have at most 25.
const maxNumberBytes = 512

// ReadNumber reads a number in either encoding: 5, or {"set":true,
// "infinite":false,"number":5}.
func (s *Scanner) ReadNumber() (int64, Status) {
	switch c := s.SkipSpace(); {
	case c == '{':
		return s.readWrappedNumber()
	case c == '-', '0' <= c && c <= '9':
		if tok := s.readNumberText(); tok != nil {
			return parseInteger(tok)
		}
		return 0, StatusUnreadable
	}
	return 0, s.SkipWrongKind()
}

// SkipWrongKind consumes a value of the wrong kind; null means that there is none.
func (s *Scanner) SkipWrongKind() Status {
	null := s.SkipSpace() == 'n'
	s.SkipValue()
	if null {
		return StatusAbsent
	}
	return StatusUnreadable
}

// readNumberText consumes a number and returns its text, which is valid until the next
// call.
func (s *Scanner) readNumberText() []byte {
	if c := s.SkipSpace(); c != '-' && (c < '0' || c > '9') {
		s.FailUnexpected("a value")
		return nil
	}
	n := countDigits(s.buffer[s.position:s.end])
	if end := s.position + n; 0 < n && n <= maxNumberBytes && end < s.end && !isNumberByte(s.buffer[end]) && (n == 1 || s.buffer[s.position] != '0') {
		s.position = end
		return s.buffer[end-n : end]
	}
	for n = 0; ; {
		for s.position+n < s.end && isNumberByte(s.buffer[s.position+n]) {
			n++
		}
		if n > maxNumberBytes {
			s.Fail("number of more than %d characters: %w", maxNumberBytes, ErrOverLimit)
			return nil
		}
		if s.position+n < s.end || !s.fill(s.position) {
			break
		}
	}
	if s.err != nil {
		return nil
	}
	tok := s.buffer[s.position : s.position+n]
	if !isJSONNumber(tok) {
		s.Fail("%q is not a number", tok)
		return nil
	}
	s.position += n
	return tok
}

// isNumberByte reports whether c can be part of a number.
func isNumberByte(c byte) bool {
	return '0' <= c && c <= '9' || c == '-' || c == '+' || c == '.' || c|0x20 == 'e'
}

// isJSONNumber reports whether tok is a number by JSON's grammar.
func isJSONNumber(tok []byte) bool {
	if len(tok) > 0 && tok[0] == '-' {
		tok = tok[1:]
	}
	n := countDigits(tok)
	if n == 0 || n > 1 && tok[0] == '0' {
		return false
	}
	tok = tok[n:]
	if len(tok) > 0 && tok[0] == '.' {
		if n = countDigits(tok[1:]); n == 0 {
			return false
		}
		tok = tok[1+n:]
	}
	if len(tok) == 0 {
		return true
	}
	if tok[0]|0x20 != 'e' {
		return false
	}
	if tok = tok[1:]; len(tok) > 0 && (tok[0] == '+' || tok[0] == '-') {
		tok = tok[1:]
	}
	n = countDigits(tok)
	return n > 0 && n == len(tok)
}

// countDigits counts the decimal digits at the start of b.
func countDigits(b []byte) int {
	for i, c := range b {
		if c < '0' || c > '9' {
			return i
		}
	}
	return len(b)
}

// parseInteger returns the value of a number that is whole, however it is written
// (8.0 is 8). Slurm's 64-bit "no value" and "infinite" are told apart; what
// does not fit is unreadable.
func parseInteger(tok []byte) (int64, Status) {
	if v, small := ParseShortInteger(tok); small {
		return v, StatusFound
	}
	if v, err := strconv.ParseInt(string(tok), 10, 64); err == nil {
		return v, StatusFound
	}
	if u, err := strconv.ParseUint(string(tok), 10, 64); err == nil {
		switch u {
		case math.MaxUint64:
			return 0, StatusInfinite
		case math.MaxUint64 - 1:
			return 0, StatusAbsent
		}
		return 0, StatusUnreadable
	}
	f, err := strconv.ParseFloat(string(tok), 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
		return 0, StatusUnreadable
	}
	return int64(f), StatusFound
}

// ParseShortInteger reads the usual case, up to 18 plain digits.
func ParseShortInteger(tok []byte) (v int64, ok bool) {
	if len(tok) == 0 || len(tok) > 18 {
		return 0, false
	}
	for _, c := range tok {
		if c < '0' || c > '9' {
			return 0, false
		}
		v = v*10 + int64(c-'0')
	}
	return v, true
}
