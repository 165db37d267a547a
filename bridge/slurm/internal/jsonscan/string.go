package jsonscan

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"
)

const (
	lowBitOfEachByte  = 0x0101010101010101
	highBitOfEachByte = 0x8080808080808080
)

// plainPrefixLength returns how many bytes at the start of b are neither a quote, a
// backslash nor a control character, eight at a time.
func plainPrefixLength(b []byte) int {
	i := 0
	for ; i+8 <= len(b); i += 8 {
		x := binary.LittleEndian.Uint64(b[i:])
		q, e, c := x^(lowBitOfEachByte*'"'), x^(lowBitOfEachByte*'\\'), x&(lowBitOfEachByte*0xe0)
		// Each term has the top bit of its lowest zero byte set, and none below.
		if m := ((q-lowBitOfEachByte)&^q | (e-lowBitOfEachByte)&^e | (c-lowBitOfEachByte)&^c) & highBitOfEachByte; m != 0 {
			return i + bits.TrailingZeros64(m)/8
		}
	}
	for ; i < len(b); i++ {
		if c := b[i]; c == '"' || c == '\\' || c < ' ' {
			break
		}
	}
	return i
}

// ReadRawString consumes a string and returns the bytes between the quotes and whether
// they contain escapes. They are valid until the next call. A string of more
// than limit bytes is cut there and reported as long; a negative limit keeps
// nothing.
func (s *Scanner) ReadRawString(limit int) (raw []byte, esc, long bool) {
	if s.SkipSpace() != '"' {
		s.FailUnexpected("a string")
		return nil, false, false
	}
	s.position++
	for i := s.position; ; {
		i += plainPrefixLength(s.buffer[i:s.end])
		n := 0
		if i < s.end {
			n = escapeLength(s.buffer[i:s.end])
		}
		switch {
		case n == 1:
			raw, long = s.finishString(i, limit, long)
			return raw, esc, long
		case n > 1:
			esc = true
			i += n
			continue
		case n < 0:
			s.position = i
			s.FailUnexpected("a printable character or an escape")
			return nil, false, false
		}
		if i-s.position > limit { // what follows is not worth keeping
			long = long || limit >= 0
			s.discardString(i, limit)
			limit = -1
		}
		held := i - s.position
		if !s.fill(s.position) {
			s.position = s.end
			s.FailUnexpected("the end of a string")
			return nil, false, false
		}
		i = s.position + held
	}
}

// discardString lets go of a string up to i, but for its first limit bytes.
func (s *Scanner) discardString(i, limit int) {
	if limit >= 0 {
		s.longStringHead = append(s.longStringHead[:0], cutRawString(s.buffer[s.position:i], limit)...)
	}
	s.position = i
}

// finishString consumes the rest of a string, which ends at i, and returns what is
// kept of it.
func (s *Scanner) finishString(i, limit int, long bool) ([]byte, bool) {
	raw := s.buffer[s.position:i]
	s.position = i + 1
	switch {
	case long:
		return s.longStringHead, true
	case limit >= 0 && len(raw) > limit:
		return cutRawString(raw, limit), true
	}
	return raw, false
}

// cutRawString cuts the inside of a string to at most n bytes, not within an escape.
func cutRawString(raw []byte, n int) []byte {
	for i := 0; i < n; {
		step := 1
		if raw[i] == '\\' {
			step = 2
			if raw[i+1] == 'u' {
				step = 6
			}
		}
		if i+step > n {
			n = i
		}
		i += step
	}
	return raw[:n]
}

// escapeLength looks at what stopped plainPrefixLength: 1 for the closing quote, 2 or 6 for an
// escape of that length, 0 when more bytes are needed, -1 when it is wrong.
func escapeLength(b []byte) int {
	switch {
	case b[0] == '"':
		return 1
	case b[0] != '\\':
		return -1
	case len(b) < 2:
		return 0
	}
	switch b[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
	default:
		return -1
	}
	for i := 2; i < 6; i++ {
		if i == len(b) {
			return 0
		}
		if parseHexDigit(b[i]) < 0 {
			return -1
		}
	}
	return 6
}

// parseHexDigit returns the value of a hexadecimal digit, or -1.
func parseHexDigit(c byte) rune {
	switch {
	case '0' <= c && c <= '9':
		return rune(c - '0')
	case 'a' <= c && c <= 'f':
		return rune(c-'a') + 10
	case 'A' <= c && c <= 'F':
		return rune(c-'A') + 10
	}
	return -1
}

// appendCleanText appends the text of raw, the inside of a JSON string, to dst:
// escapes resolved, control characters (C0, DEL, C1) made spaces, and what is
// not UTF-8 replaced by U+FFFD.
func appendCleanText(dst, raw []byte) []byte {
	for len(raw) > 0 {
		r, n := rune(raw[0]), 1
		if r == '\\' {
			r, n = decodeEscape(raw)
		} else if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRune(raw)
		}
		if r < ' ' || 0x7f <= r && r <= 0x9f {
			r = ' '
		}
		dst = utf8.AppendRune(dst, r)
		raw = raw[n:]
	}
	return dst
}

// decodeEscape returns the character of the escape at the start of b, whose form
// is known to be right, and its length.
func decodeEscape(b []byte) (rune, int) {
	switch b[1] {
	case 'b', 'f', 'n', 'r', 't':
		return '\n', 2 // a control character, whichever
	case 'u':
	default:
		return rune(b[1]), 2
	}
	r := parseUTF16Escape(b)
	if !utf16.IsSurrogate(r) {
		return r, 6
	}
	if len(b) >= 12 && b[6] == '\\' && b[7] == 'u' {
		if both := utf16.DecodeRune(r, parseUTF16Escape(b[6:])); both != utf8.RuneError {
			return both, 12
		}
	}
	return utf8.RuneError, 6
}

// parseUTF16Escape returns the 16 bits of \uXXXX.
func parseUTF16Escape(b []byte) rune {
	return parseHexDigit(b[2])<<12 | parseHexDigit(b[3])<<8 | parseHexDigit(b[4])<<4 | parseHexDigit(b[5])
}

// isCleanText reports whether raw needs no cleaning: printable ASCII, no escapes.
func isCleanText(raw []byte) bool {
	for _, c := range raw {
		if c >= 0x7f || c == '\\' {
			return false
		}
	}
	return true
}

// CleanText returns the text of the inside of a string.
func (s *Scanner) CleanText(raw []byte, esc bool) []byte {
	if !esc && isCleanText(raw) {
		return raw
	}
	s.scratch = appendCleanText(s.scratch[:0], raw)
	return s.scratch
}
