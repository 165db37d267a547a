package jsonscan

import (
	"unicode/utf16"
	"unicode/utf8"
)

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
